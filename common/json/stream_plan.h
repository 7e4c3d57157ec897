// What a stream's structures and mechanisms cost, for scripts. The command line and HTTP write the
// very same.
#ifndef TOMBOLA_COMMON_JSON_STREAM_PLAN_H_
#define TOMBOLA_COMMON_JSON_STREAM_PLAN_H_

#include <optional>
#include <vector>

#include "common/accounting/composition.h"
#include "common/json/text.h"
#include "common/plan/stream.h"

namespace tombola {

// What holds for a device of request.device_periods; nothing for one of a single period, whose
// target it is, and for what is not feasible.
std::optional<accounting::EpsilonDelta> DeviceLevel(const mechanism::StreamCandidate& candidate,
                                                    const mechanism::StreamPlanRequest& request);

// Of a submission on the wire, averaged over the periods. Feasible candidates only.
double BytesPerUser(const mechanism::StreamCandidate& candidate);

// {"recommended", "structure", "why", "candidates": [{"mechanism", "structure", "feasible",
// "reason", "depth", "variance_mean", "variance_max", "variance_single", "messages_per_user",
// "max_messages_per_user", "bytes_per_user", "total_epsilon", "total_delta"}]}: null what is not
// feasible, and the totals, of one device over its periods, null where they are the target or
// nothing holds.
Json StreamPlanJson(const std::vector<mechanism::StreamCandidate>& candidates,
                    const mechanism::StreamChoice& choice,
                    const mechanism::StreamPlanRequest& request);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_STREAM_PLAN_H_
