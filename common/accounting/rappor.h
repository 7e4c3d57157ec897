// RAPPOR's parameters and what they guarantee: reports of one device by itself, and one report of
// each in a shuffled batch.
//
// A value sets `hashes` bits of a Bloom filter. Each bit is replaced once for all by a coin with
// probability f (the permanent randomised response, memoised), and each report draws it as 1 with
// probability q where that is 1 and p where it is 0 (the instantaneous one). Erlingsson, Pihur,
// Korolova, "RAPPOR" (2014). Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_RAPPOR_H_
#define TOMBOLA_COMMON_ACCOUNTING_RAPPOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/accounting/unary_blanket.h"

namespace tombola::accounting {

// No field has a usable default.
struct Rappor {
  double f = 0;        // in (0, 1)
  double p = -1;       // in [0, 1)
  double q = 0;        // in (p, 1]
  int64_t hashes = 0;  // bits that a value sets; [1, bits]
  int64_t bits = 0;    // of the Bloom filter; [1, kMostBloomBits]
};

inline constexpr int64_t kMostBloomBits = 256;

// InvalidArgument, naming the field and its bound.
absl::Status Validate(const Rappor& rappor);

// Bits of one report, over both responses: risen = f (p + q) / 2 + (1 - f) p, and kept likewise.
UnaryReports OneReport(const Rappor& rappor, int64_t honest);

// What `reports` >= 1 reports of one memoised value guarantee to who sees them together and by
// itself; of one report epsilon_1 = hashes ln(kept (1 - risen) / (risen (1 - kept))). Values with
// fewer bits, because hashes collide, are hidden at least as well. Every further value costs as
// much again. Valid parameters.
double LocalEpsilonOf(const Rappor& rappor, int64_t reports);
// The limit of many, 2 hashes ln((1 - f/2) / (f/2)).
double LocalEpsilonOfMemo(const Rappor& rappor);

// What one report of each device, with a cohort drawn for it, guarantees in a shuffled batch.
struct ShuffledRappor {
  double blanket = 0;  // by the bits' own accountant (unary_blanket.h)
  double clones = 0;   // by the bound for any randomiser (clones.h)
  double epsilon = 0;  // the least of them and of the local one
};
// Not guaranteed: anything once a memo is used again, or for cohorts that devices keep: print
// LocalEpsilonOfMemo then. InvalidArgument as Validate, for honest outside [1, kLargestUnaryBatch]
// and delta outside (0, 1).
absl::StatusOr<ShuffledRappor> ShuffledEpsilon(const Rappor& rappor, int64_t honest, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_RAPPOR_H_
