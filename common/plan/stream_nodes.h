// How much noise each node of a stream needs.
#ifndef TOMBOLA_COMMON_PLAN_STREAM_NODES_H_
#define TOMBOLA_COMMON_PLAN_STREAM_NODES_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"
#include "common/stream/shares.h"
#include "common/stream/structure.h"

namespace tombola::mechanism {

// How nodes of a mechanism share what a period may cost: correlated noise shares epsilon, all
// others the square of the Gaussian parameter.
stream::Norm NormOf(absl::string_view mechanism);

// The mechanism of every node, so that the request's target holds for one submission over all nodes
// of its period: Nodes::PeriodDelta of each was evaluated and is at most delta. `request` is of one
// period; a node over several has as many times its honest submissions. Shares as SharesOf says are
// where the search begins; the noise of all nodes is then raised together until the product of
// losses holds for every period.
//
// Nodes that are the periods are planned as batches by themselves, by any mechanism; others by
// correlated, pure_dump and aue only. FailedPrecondition says why it cannot be, as Plan does, and
// that a submission would have more expected messages than request.max_messages in some period.
// ResourceExhausted: request.work has too little left. Seconds for a thousand periods.
absl::StatusOr<std::vector<std::shared_ptr<const Mechanism>>> PlanNodes(
    absl::string_view mechanism, const stream::Structure& structure, const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_STREAM_NODES_H_
