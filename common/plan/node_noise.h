// The noise of a stream's nodes as one number, the level, that is raised until every period is
// hidden.
#ifndef TOMBOLA_COMMON_PLAN_NODE_NOISE_H_
#define TOMBOLA_COMMON_PLAN_NODE_NOISE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/loss_law.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {

// What the noise of a node depends on.
struct NodeSort {
  double share = 0;     // of what a period may cost, (0, 1]
  int64_t periods = 0;  // that it covers
};

// The noise of one mechanism for a target over all nodes of a period. At level 0 it is about, or
// less than, what is needed; each node's noise grows with the level. Not thread-safe.
class NodeNoise {
 public:
  // For correlated, pure_dump and aue; of the request, which is of one period and must outlive
  // this, as for PlanNodes. `depth`: the most nodes of a period. Errors as Plan's.
  static absl::StatusOr<std::unique_ptr<NodeNoise>> Of(absl::string_view mechanism,
                                                       absl::Span<const NodeSort> sorts,
                                                       int64_t depth, const PlanRequest& request);
  NodeNoise(const PlanRequest& request, int64_t depth) : request_(request), depth_(depth) {}
  virtual ~NodeNoise() = default;

  // What the product of the losses of a period's nodes may have: what caps and tables cost is taken
  // off.
  double delta() const { return delta_; }
  // How many cells a device fills in each node.
  int64_t cells() const { return request_.filling.cells(); }
  // The precision that a level is worth, and the largest one.
  virtual double tolerance() const = 0;
  virtual double most() const = 0;

  // The losses of one submission in a node.
  virtual absl::StatusOr<std::vector<accounting::LossPart>> Parts(const NodeSort& sort,
                                                                  double level) const = 0;
  // What holds for a submission of one cell that is in this node alone, exactly.
  virtual absl::StatusOr<double> Alone(const NodeSort& sort, double level) const = 0;
  virtual absl::StatusOr<std::shared_ptr<const Mechanism>> Make(const NodeSort& sort,
                                                                double level) const = 0;

 protected:
  // Sets delta().
  absl::Status TakeOffDraws(
      absl::Span<const NodeSort> sorts,
      absl::FunctionRef<absl::StatusOr<DeltaShares>(const PlanRequest&)> shares_of);
  // Of one node, with its part of what caps and tables may cost.
  PlanRequest RequestOf(const NodeSort& sort) const;

  const PlanRequest& request_;
  const int64_t depth_;
  double delta_ = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_NODE_NOISE_H_
