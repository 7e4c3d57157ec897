// What a shuffled batch of randomised bit vectors guarantees: the blanket accountant for bits that
// belong together.
//
// A report is a vector of bits of which a value sets `hashes`: RAPPOR's Bloom filter, or with one
// hash the one-hot codes (SUE, OUE). Each bit is drawn by itself: 1 with probability `kept` where
// it is set and `risen` where not. With base = all bits drawn as if not set, and only bits of the
// value's own pattern that came out 0 being less likely than in base, each by
// c = (1 - kept) / (1 - risen),
//   R_x >= c^hashes base  for every x:
// with probability gamma = c^hashes a report says nothing of its value. Others who say nothing hide
// the victim as in blanket.h, with the ratio rho^a, rho = kept (1 - risen) / (risen (1 - kept)),
// where a counts the ones on the value's pattern:
//   D_m = (gamma / m) E[(X_1 + ... + X_m)_+],  X = rho^a - e^epsilon rho^b,
// a and b ~ Bin(hashes, risen) independent: two values that share bits are told apart less. Since
// Pr[m - 1 = k] / m over Bin(honest - 1, gamma) is Pr[m = k] / honest over Bin(honest, gamma) but
// for gamma, the expectation over m is that of one sum,
//   delta = (1 / honest) E[(Y_1 + ... + Y_honest)_+],  Y = X with probability gamma, else 0.
// docs/privacy.md has the proof. Pure functions, thread-safe.
//
// Guaranteed: what is returned is never below the divergence of that view, in both directions and
// for every data set. Large batches are put on a grid that keeps means, so that (.)_+, being
// convex, only grows; what wraps around only adds; what lies beyond and the transform's rounding
// are charged. Not guaranteed: anything about a device's second report, or if some part of a report
// besides the bits tells who sent it, as a cohort does that a device keeps.
#ifndef TOMBOLA_COMMON_ACCOUNTING_UNARY_BLANKET_H_
#define TOMBOLA_COMMON_ACCOUNTING_UNARY_BLANKET_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tombola::accounting {

// The most honest reports, and bits of a value, that are accounted for.
inline constexpr int64_t kLargestUnaryBatch = int64_t{1} << 30;
inline constexpr int64_t kMostHashes = 256;

// No field has a usable default.
struct UnaryReports {
  int64_t honest = 0;  // the victim's included; [1, kLargestUnaryBatch]
  int64_t hashes = 0;  // bits that a value sets; [1, kMostHashes]
  double risen = 0;    // Pr[1] of a bit that is not set; in (0, 1)
  double kept = 0;     // Pr[1] of a bit that is set; in (risen, 1)
};

// InvalidArgument, naming the field and its bound; also if the local epsilon exceeds 700.
absl::Status Validate(const UnaryReports& reports);

// hashes ln(rho): the budget of one report by itself. Valid reports, as below.
double LocalEpsilon(const UnaryReports& reports);

// The probability gamma that a report says nothing of its value.
double BlanketOf(const UnaryReports& reports);

// D_m: the divergence at epsilon given m >= 1 reports that say nothing, the victim's included;
// `honest` is not looked at. Exact to 1e-12 relative while C(m + hashes, hashes) <= 2000; above it
// some permille more.
double UnaryGivenMessages(int64_t m, const UnaryReports& reports, double epsilon);

// The delta that holds at epsilon > 0, in [0, 1]; at most that of one report by itself. Exact for
// batches of some dozens, else some permille more than the exact expectation for delta >= 1e-20.
// InvalidArgument as Validate, and unless epsilon is finite and > 0.
absl::StatusOr<double> UnaryDelta(const UnaryReports& reports, double epsilon);

// The smallest epsilon at which UnaryDelta was evaluated and was at most delta, to 1e-6 relative;
// at most the local epsilon. Seconds for 10^6 reports.
absl::StatusOr<double> UnaryEpsilon(const UnaryReports& reports, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_UNARY_BLANKET_H_
