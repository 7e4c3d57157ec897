// The encoder of a value among noise that mostly cancels.
#ifndef TOMBOLA_CLIENT_ENCODE_CORRELATED_H_
#define TOMBOLA_CLIENT_ENCODE_CORRELATED_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/mechanism/correlated.h"
#include "common/random/random_source.h"

namespace tombola::client {

// +1 for the value among messages +1 and -1 of noise. The random words drawn and the number of
// reports do not depend on the value.
class CorrelatedEncoder final : public Encoder {
 public:
  explicit CorrelatedEncoder(std::shared_ptr<const mechanism::Correlated> correlated);

  int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const override;

 private:
  std::shared_ptr<const mechanism::Correlated> correlated_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_CORRELATED_H_
