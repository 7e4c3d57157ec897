// The best parameters of local hashing for a target: least error that the guarantee allows.
#ifndef TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

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

absl::StatusOr<std::shared_ptr<const Mechanism>> PlanLocalHash(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_
