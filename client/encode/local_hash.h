// The encoder of local hashing.
#ifndef TOMBOLA_CLIENT_ENCODE_LOCAL_HASH_H_
#define TOMBOLA_CLIENT_ENCODE_LOCAL_HASH_H_

#include <cstdint>
#include <memory>
#include <string>

#include "client/encode/encoder.h"
#include "common/mechanism/local_hash.h"
#include "common/random/random_source.h"

namespace tombola::client {

// Shuffled randomised response as Eq. (7) says: a uniform report whose bucket is, with probability
// 1 - gamma, replaced by the value's own. The random words drawn and the work done do not depend on
// the value or on which of the two was sent, up to the timing of a division.
class LocalHashEncoder final : public Encoder {
 public:
  explicit LocalHashEncoder(std::shared_ptr<const mechanism::LocalHash> local_hash);

  int64_t Encode(uint64_t value, RandomSource& random, std::string* out) const override;

 private:
  // The report's bucket or the value's own, by one Bernoulli draw.
  template <typename Report>
  void EncodeInto(Report report, uint64_t value, RandomSource& random, std::string* out) const;

  std::shared_ptr<const mechanism::LocalHash> local_hash_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_ENCODE_LOCAL_HASH_H_
