// How a device says which string it holds: a cell of a random prefix, or of none.
#ifndef TOMBOLA_COMMON_STRINGS_RANDOMIZER_H_
#define TOMBOLA_COMMON_STRINGS_RANDOMIZER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/strings/public_functions.h"
#include "common/strings/report.h"

namespace tombola::strings {

// What a device sends.
enum class StringMessages {
  kOne,         // a cell of one level, uniform with a probability gamma
  kDummies,     // the true cell of one level, and uniform cells besides
  kEveryLevel,  // the true cell of every level, and uniform cells besides
};

// Draws reports. A level and a function are drawn privately and afresh, whatever the string is, so
// that they say nothing of it: R_v = gamma U + (1 - gamma) T_v as in common/accounting/blanket.h,
// with a uniform message supporting any string with probability 1/range whatever the functions.
// Guaranteed: with OneMessage, what that accountant says for all honest reports of a batch, decoded
// adaptively and as often as one likes. TrueCell and UniformCell guarantee nothing by themselves:
// they need dummies from others. Immutable and thread-safe; the source of randomness is not.
class StringRandomizer {
 public:
  // A uniform cell with probability blanket_threshold / 2^64. `functions` is not owned.
  explicit StringRandomizer(const PublicFunctions* functions, uint64_t blanket_threshold)
      : functions_(functions), blanket_threshold_(blanket_threshold) {}

  // `symbols` is as long as strings are, here and below.
  StringReport OneMessage(absl::Span<const uint8_t> symbols, RandomSource& random) const;

  // The prefix at this level under a random function.
  StringReport TrueCell(int64_t level, absl::Span<const uint8_t> symbols,
                        RandomSource& random) const;
  // Any level, function and bucket.
  StringReport UniformCell(RandomSource& random) const;

 private:
  StringReport Place(RandomSource& random) const;
  uint32_t AnyBucket(RandomSource& random) const;

  const PublicFunctions* functions_;
  uint64_t blanket_threshold_;
};

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_RANDOMIZER_H_
