// What a shuffled batch guarantees: the exact privacy-blanket accountant.
//
// Every message of the mechanisms accounted for here is, with probability gamma, uniform (it is
// part of the blanket) and otherwise says its sender's value. Show the adversary which of the other
// submissions are not in the blanket, and what they say: the victim's message then hides among m
// uniform ones, m - 1 ~ Bin(honest - 1, gamma) + fakes. The divergence of that richer view bounds
// the divergence of the shuffled batch, whatever the others' values and whatever the hash
// functions; how often these let the two values collide may be counted in. docs/privacy.md has the
// proof. Pure functions, thread-safe.
//
// Guaranteed: what is returned is never below the divergence of the view described. Numbers of
// messages are binned, every bin is evaluated at its lower end (the divergence falls with m), what
// is cut off is added, and rounding is covered by a relative 1e-9.
// Not guaranteed: anything about a batch with fewer honest submissions than `honest`, about a
// sender's second submission, or if the shuffler colludes; then LocalEpsilon is what is left.
#ifndef TOMBOLA_COMMON_ACCOUNTING_BLANKET_H_
#define TOMBOLA_COMMON_ACCOUNTING_BLANKET_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tombola::accounting {

// The most honest submissions, and the most fakes, that are accounted for.
inline constexpr int64_t kLargestBatch = int64_t{1} << 40;

// A shuffled batch in which every honest submission is, with probability gamma, a uniform message
// that supports any given value with probability 1/range. No field has a usable default.
struct Blanket {
  int64_t honest = 0;  // honest submissions, the victim's included; [1, kLargestBatch]
  double range = 0;    // >= 2: the hash range, for randomised response the domain's size
  double gamma = -1;   // [0, 1): probability that a message is uniform
  int64_t fakes = 0;   // uniform messages added by the shuffler; [0, kLargestBatch]
  // The least probability with which a message's function gives two values the same bucket:
  // [0, 1/range]. Such a message cannot tell them apart; 0 counts on no collisions and is right for
  // every family of functions.
  double collision = 0;
};

// InvalidArgument, naming the field and its bound, unless every field is in range.
absl::Status Validate(const Blanket& blanket);
absl::Status ValidateEpsilon(double epsilon);  // (0, infinity)
absl::Status ValidateDelta(double delta);      // (0, 1)

// The gamma of a local budget e_l, kappa = e^{e_l} - 1 > 0: range / (range + kappa), rounded up by
// two units in the last place, which is the private side, but kept below 1.
double GammaOf(double range, double kappa);

// The budget of one message by itself, ln(1 + range (1 - gamma) / gamma), rounded up by a few units
// in the last place; infinite at gamma = 0.
double LocalEpsilon(double range, double gamma);

// The divergence at epsilon given m messages, the victim's included (D_m of docs/privacy.md):
// (1/m) E[(gamma (1 - e^epsilon) m + (1 - gamma) range (a - e^epsilon b))_+], where a and b count
// those of m uniform messages that support the victim's one and the other value. Non-increasing in
// m and in epsilon; m >= 1. Upper bound, to about 1e-10 relative if collision is 0 or 1/range. In
// between it is a little above; for planes of order 11, 7, 5, 3 and 2 by 0.1, 0.2, 0.5, 2 and 8 %
// in epsilon or less. A valid blanket, of which `honest` and `fakes` are not looked at.
double BlanketGivenMessages(int64_t m, const Blanket& blanket, double epsilon);

// The delta that holds at epsilon, in both directions and for every data set, in [0, 1]: the
// expectation of BlanketGivenMessages over m, at most the delta of one message by itself, and 0
// where epsilon >= LocalEpsilon. Within about 0.5 % of the exact expectation for delta >= 1e-20,
// the exact one if the batch is small. InvalidArgument as Validate says.
absl::StatusOr<double> Delta(const Blanket& blanket, double epsilon);

// For searches: Delta, or where it is above `enough` anything in (enough, Delta]. For targets so
// small that the mass outside of what Delta sums over decides alone, that is found at once. Errors
// as Delta's.
absl::StatusOr<double> DeltaOrEnough(const Blanket& blanket, double epsilon, double enough);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_BLANKET_H_
