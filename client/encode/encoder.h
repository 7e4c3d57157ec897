// The first stage on a device: a value becomes the plaintext reports of one submission.
#ifndef TOMBOLA_CLIENT_ENCODE_ENCODER_H_
#define TOMBOLA_CLIENT_ENCODE_ENCODER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::client {

// Randomises a value as a mechanism says. Immutable and thread-safe, given a RandomSource for each
// thread.
//
// Guarantees the mechanism's local epsilon for each call, if `random` is uniform and independent.
// Calling it twice for one value spends the privacy twice: who calls keeps the budget.
class Encoder {
 public:
  virtual ~Encoder() = default;

  // Appends the reports for `value`, each of the mechanism's report_bytes(), to *out and returns
  // how many; the number does not depend on the value. value < domain_size().
  virtual int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const = 0;
};

// The encoder of a mechanism; every mechanism has one.
std::unique_ptr<Encoder> MakeEncoder(std::shared_ptr<const mechanism::Mechanism> mechanism);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_ENCODER_H_
