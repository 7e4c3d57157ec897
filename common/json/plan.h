// A plan for scripts. The command line and the collector's HTTP interface write the very same.
#ifndef TOMBOLA_COMMON_JSON_PLAN_H_
#define TOMBOLA_COMMON_JSON_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/text.h"
#include "common/plan/number.h"
#include "common/plan/plan.h"

namespace tombola {

// On the wire, on average.
double BytesPerUser(const mechanism::Mechanism& mechanism);

// `min_batch` is the smallest batch of which the share `min_honest` is enough; null if it cannot be
// said, or if it is not wanted: finding it takes up to a tenth of a plan's time. With `levels` the
// candidates are for key-value pairs, and have mean_mse: the variance of a key's mean at the
// request's frequency, for numbers spread evenly over -1 to 1; null at frequency 0. With `numbers`
// they are those of PlanNumber (common/plan/number.h), and have `sent`, and `branching` or `levels`
// where they have a tree or are dithered.
struct CandidateJsonOptions {
  double min_honest = 1;
  bool min_batch = true;
  int64_t levels = 0;
  bool numbers = false;
};
Json CandidateJson(const mechanism::Candidate& candidate, const mechanism::PlanRequest& request,
                   const CandidateJsonOptions& options);

// What a person should know before taking the plan. `best` may be null.
std::vector<std::string> PlanWarnings(const mechanism::Candidate* best,
                                      const mechanism::PlanRequest& request);

// The same of numbers, whose error is of the share of devices in a range, or of a mean.
std::vector<std::string> NumberPlanWarnings(const mechanism::Candidate* best,
                                            const mechanism::NumberPlanRequest& request);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_PLAN_H_
