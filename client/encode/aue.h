// The encoder of augmented unary encoding.
#ifndef TOMBOLA_CLIENT_ENCODE_AUE_H_
#define TOMBOLA_CLIENT_ENCODE_AUE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/mechanism/aue.h"
#include "common/random/random_source.h"

namespace tombola::client {

// The value, and every value of the domain once more with a small probability. The random words
// drawn and the number of reports do not depend on the value.
class AueEncoder final : public Encoder {
 public:
  explicit AueEncoder(std::shared_ptr<const mechanism::Aue> aue);

  int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Aue> aue_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_AUE_H_
