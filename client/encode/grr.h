// The encoder of randomised response over the domain.
#ifndef TOMBOLA_CLIENT_ENCODE_GRR_H_
#define TOMBOLA_CLIENT_ENCODE_GRR_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/mechanism/grr.h"
#include "common/random/random_source.h"

namespace tombola::client {

// One report: the value, randomised.
class GrrEncoder final : public Encoder {
 public:
  explicit GrrEncoder(std::shared_ptr<const mechanism::Grr> grr);

  int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Grr> grr_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_GRR_H_
