#include "common/scheme/nodes.h"

#include <algorithm>
#include <utility>

#include "common/accounting/submission_loss.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::mechanism {

Nodes::Nodes(stream::Structure structure, std::vector<StreamNode> nodes)
    : structure_(std::move(structure)), nodes_(std::move(nodes)) {
  const auto periods = static_cast<size_t>(structure_.periods());
  TOMBOLA_CHECK(nodes_.size() == periods);
  covers_.resize(periods);
  // Node by node: O(the sum of their lengths), and each cover comes out ascending.
  for (uint64_t node = 1; node <= periods; ++node) {
    for (uint64_t period = FirstPeriod(node); period <= node; ++period) {
      covers_[period - 1].push_back(node);
    }
  }
  for (const std::vector<uint64_t>& cover : covers_) {
    depth_ = std::max(depth_, cover.size());
    int64_t reports = 0;
    for (const uint64_t node : cover) {
      reports += (*this)[node].scheme->max_reports_per_submission();
    }
    most_reports_ = std::max(most_reports_, reports);
  }
}

absl::StatusOr<double> Nodes::PeriodDelta(uint64_t period, double epsilon) const {
  const std::vector<uint64_t>& cover = Cover(period);
  if (cover.size() == 1) {
    const StreamNode& only = (*this)[cover.front()];
    return only.scheme->Delta(only.honest, epsilon);
  }
  accounting::SubmissionLoss all;
  for (const uint64_t node : cover) {
    TOMBOLA_ASSIGN_OR_RETURN(accounting::SubmissionLoss one,
                             (*this)[node].scheme->Loss((*this)[node].honest, 1e-12));
    for (accounting::LossPart& part : one.parts) all.parts.push_back(std::move(part));
    all.charge += one.charge;
    all.difference += one.difference;
  }
  return accounting::DeltaOver(all, /*uses=*/1, epsilon);
}

}  // namespace tombola::mechanism
