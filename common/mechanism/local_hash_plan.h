// The best parameters of local hashing for a target: least error that the guarantee allows.
#ifndef TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/statusor.h"
#include "common/mechanism/local_hash.h"

namespace tombola::mechanism {

struct LocalHashPlanRequest {
  // The honest submissions that every batch is sure to have, at least 1: the guarantee is for them.
  int64_t honest = 0;
  // All submissions expected, at least `honest`: the error is minimised for them.
  int64_t submissions = 0;
  // 2 to 2^24.
  int64_t domain_size = 0;
  // The target, for one submission in a batch: epsilon > 0, delta in (0, 1).
  double epsilon = 0;
  double delta = 0;
  // What must remain if the shuffler colludes, > 0. A small one costs accuracy.
  double max_local_epsilon = std::numeric_limits<double>::infinity();
  // Uses this range, a prime or a power of two, instead of searching for one.
  std::optional<uint64_t> range;
};

// Options whose Delta(honest, epsilon) was evaluated and is at most delta, and whose local epsilon
// is at most the cap. Of those the least predicted error over family, range and threshold, up to
// about 1 %: the plane is preferred when it is that close to the best range of any size, because
// it decodes faster. With few submissions, where shuffling hides nothing, this is the local
// mechanism of local epsilon <= epsilon.
//
// InvalidArgument names the request's field and its bound. Pure; under a second for 10^8
// submissions.
absl::StatusOr<LocalHashOptions> PlanLocalHash(const LocalHashPlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_PLAN_H_
