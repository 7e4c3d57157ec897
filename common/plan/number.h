// Which mechanism, over which tree of bins, tells most about numbers.
#ifndef TOMBOLA_COMMON_PLAN_NUMBER_H_
#define TOMBOLA_COMMON_PLAN_NUMBER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

struct NumberPlanRequest {
  // Its domain_size, filling and frequency are not looked at.
  PlanRequest plan;
  // At least 2. Where dithered: of levels, at most kMostLevels; 0: the best number of them.
  int64_t bins = 0;
  bool missing = false;
  // For means alone: numbers become levels, and no tree stands above them.
  bool dithered = false;
  // These only; else the best. Branching 0 or at least 2, sent at least 1.
  std::optional<int64_t> branching;
  std::optional<int64_t> sent;
};

// The mechanisms of PlanAll, or the one that is named. For each: what it makes of the bins alone,
// and the best that it makes of a tree of bins; where dithered the best number of levels. Of trees,
// randomised responses are tried only where they are named, or, of one level of each device, where
// a local epsilon or few messages are asked for: shared noise is several times better. Their mse is
// RangeMse or DitheredMse (common/kind/number.h), for plan.submissions. InvalidArgument as PlanAll.
// Seconds.
absl::StatusOr<std::vector<Candidate>> PlanNumber(const NumberPlanRequest& request,
                                                  absl::string_view only = "");

// What a recommendation must leave by default: something, as of histograms, where numbers are
// dithered or the bins alone are asked for. Where trees compete anything will do: what leaves
// nothing is several times better.
Left LeftByDefault(const NumberPlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_NUMBER_H_
