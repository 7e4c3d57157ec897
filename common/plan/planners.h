// How each mechanism is planned, and which numbers of a request it takes. One specialisation of
// each for a mechanism of mechanism::Every; the linker asks for one that is missing.
#ifndef TOMBOLA_COMMON_PLAN_PLANNERS_H_
#define TOMBOLA_COMMON_PLAN_PLANNERS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/mechanism/every.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

using PlannedMechanism = absl::StatusOr<std::shared_ptr<const Mechanism>>;

// The best parameters of one mechanism for a valid request (PlanOne checks it). FailedPrecondition
// says why it cannot be: where a closed form is not proven, and as below. Pure.
template <typename M>
PlannedMechanism Plan(const PlanRequest& request);

// The numbers of a request that a mechanism's planner looks at; all others must be absent.
template <typename M>
inline constexpr ChosenNumbers kChosen{};

// How many of several cells a mechanism can send.
enum class Sends {
  kOneCell,   // it is for devices that fill one
  kAllCells,  // all that a device fills
  kSomeCells,
};
template <typename M>
inline constexpr Sends kSends = Sends::kOneCell;
template <>
inline constexpr Sends kSends<Grr> = Sends::kSomeCells;
template <>
inline constexpr Sends kSends<PureDump> = Sends::kSomeCells;
template <>
inline constexpr Sends kSends<Aue> = Sends::kAllCells;
template <>
inline constexpr Sends kSends<Correlated> = Sends::kAllCells;

// Whether a device may fill a cell more than once (Filling::units).
template <typename M>
inline constexpr bool kFillsTwice = false;
template <>
inline constexpr bool kFillsTwice<PureDump> = true;
template <>
inline constexpr bool kFillsTwice<Aue> = true;

// Whether a mechanism is planned only where it is named.
template <typename M>
inline constexpr bool kOnlyByName = false;

// PlanHashing without fakes.
template <>
PlannedMechanism Plan<LocalHash>(const PlanRequest& request);
template <>
inline constexpr ChosenNumbers kChosen<LocalHash>{.range = true};

// The least blanket that was seen to meet the target; with few submissions, where shuffling hides
// nothing, that of local epsilon <= epsilon. By closed form K = kappa + domain_size is Theorem 1's.
template <>
PlannedMechanism Plan<Grr>(const PlanRequest& request);

// The least probability of the coin by the accountant, or the one of the closed form
// (accounting/published.h), and the smallest cap that costs a ten-thousandth of delta.
// FailedPrecondition if a local epsilon is asked for, if there are more messages than allowed, or
// if the honest submissions are too few to carry the noise. Milliseconds.
template <>
PlannedMechanism Plan<Aue>(const PlanRequest& request);

// The least rate of dummies, as of aue's coin. Milliseconds.
template <>
PlannedMechanism Plan<PureDump>(const PlanRequest& request);

// request.dummies dummies for each value, or else half of what pure_dump needs, and for them the
// least blanket that was seen to meet the target. By closed form both come from
// (honest - 1)/K + dummies >= 14 ln(2/delta) / epsilon^2. FailedPrecondition if the dummies are
// more than the request allows.
template <>
PlannedMechanism Plan<MixDump>(const PlanRequest& request);
template <>
inline constexpr ChosenNumbers kChosen<MixDump>{.dummies = true};

// As local_hash, with request.fakes fakes or else a tenth of the honest submissions, rounded up and
// at most 2^32. They hide a little and blur a little: what they are for is the observer whose own
// reports are most of a batch.
template <>
PlannedMechanism Plan<Murs>(const PlanRequest& request);
template <>
inline constexpr ChosenNumbers kChosen<Murs>{.range = true, .fakes = true};

// noise_epsilon is nine tenths of half of epsilon, which leaves 1.23 times the variance of central
// Laplace noise, and the flood that with the fewest messages. If these are more than allowed,
// noise_epsilon falls, to three tenths at most: less of the flood is needed then.
// FailedPrecondition if that is not enough, if a local epsilon is asked for, if the honest
// submissions are too few to carry the noise, if epsilon is too small for noise that a device can
// send (below about 0.005), or for the published method, as nobody has published one. Some tenths
// of a second.
template <>
PlannedMechanism Plan<Correlated>(const PlanRequest& request);

// The numbers that are given. Of those that are not: one hash, which makes the least error, and as
// many bits as there are values, or 128 for several hashes and 256 for more than 64 values; and of
// the responses the largest budget of one report that was seen to meet the target, for which bits
// are kept with 1/2, as in optimised unary encoding, and of those the ones with the least budget of
// a memo. FailedPrecondition if the given responses miss the target or the cap, or no hashing is
// found that tells the values apart. Seconds for 10^6 submissions.
template <>
PlannedMechanism Plan<Rappor>(const PlanRequest& request);
template <>
inline constexpr ChosenNumbers kChosen<Rappor>{.rappor = true};
template <>
inline constexpr bool kOnlyByName<Rappor> = true;

// InvalidArgument: a number of rappor is out of its bounds, or some of its probabilities are there
// and others not.
absl::Status ValidateRappor(const PlanRequest& request);

// InvalidArgument unless local hashing over a domain of this size can have this many buckets.
absl::Status ValidateRange(uint64_t range, int64_t domain_size);

// Options of which the guarantee for `honest` submissions among `fakes` >= 0 of the shuffler's
// reports was evaluated and meets the target, and whose local epsilon is at most the cap. Of those
// the least predicted error over family, range and threshold, up to about 1 %: the plane is
// preferred when it is that close to the best range of any size, because it decodes faster. With
// few submissions, where shuffling hides nothing, this is the local mechanism of local epsilon <=
// epsilon.
//
// By closed form without fakes the range is the paper's, (K + 2) / 3 rounded to one that there is,
// or the best one where the cap or the local mechanism decides; with fakes the best one.
//
// A valid request; FailedPrecondition where a closed form is not proven. Pure; under a second for
// 10^8 submissions.
absl::StatusOr<LocalHashOptions> PlanHashing(const PlanRequest& request, int64_t fakes);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_PLANNERS_H_
