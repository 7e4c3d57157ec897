#include "common/scheme/nodes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/accounting/submission_loss.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::mechanism {
namespace {

using accounting::SubmissionLoss;

constexpr double kNegligible = 1e-12;

}  // namespace

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
  FindDistinct();
}

void Nodes::FindDistinct() {
  using Kind = std::pair<const Scheme*, int64_t>;
  std::set<std::vector<Kind>> seen;
  for (uint64_t period = 1; period <= covers_.size(); ++period) {
    std::vector<Kind> kinds;
    for (const uint64_t node : Cover(period)) {
      kinds.emplace_back((*this)[node].scheme.get(), (*this)[node].honest);
    }
    std::sort(kinds.begin(), kinds.end());
    if (seen.insert(std::move(kinds)).second) distinct_.push_back(period);
  }
}

absl::StatusOr<SubmissionLoss> Nodes::LossOf(uint64_t period) const {
  SubmissionLoss all;
  for (const uint64_t node : Cover(period)) {
    TOMBOLA_ASSIGN_OR_RETURN(SubmissionLoss one,
                             (*this)[node].scheme->Loss((*this)[node].honest, kNegligible));
    for (accounting::LossPart& part : one.parts) all.parts.push_back(std::move(part));
    all.charge += one.charge;
    all.difference += one.difference;
  }
  return all;
}

absl::StatusOr<double> Nodes::PeriodDelta(uint64_t period, double epsilon) const {
  const std::vector<uint64_t>& cover = Cover(period);
  if (cover.size() == 1) {
    const StreamNode& only = (*this)[cover.front()];
    return only.scheme->Delta(only.honest, epsilon);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const SubmissionLoss all, LossOf(period));
  return accounting::DeltaOver(all, /*uses=*/1, epsilon);
}

// The coarse accountant is never below the exact one: what it says is less than the largest delta
// found so far needs no closer look.
absl::StatusOr<double> Nodes::WorstDelta(double epsilon) const {
  double worst = 0;
  std::vector<std::pair<double, uint64_t>> at_most;
  for (const uint64_t period : distinct_) {
    if (Cover(period).size() == 1) {
      TOMBOLA_ASSIGN_OR_RETURN(const double delta, PeriodDelta(period, epsilon));
      worst = std::max(worst, delta);
      continue;
    }
    TOMBOLA_ASSIGN_OR_RETURN(const SubmissionLoss all, LossOf(period));
    TOMBOLA_ASSIGN_OR_RETURN(const double delta, accounting::CoarseDeltaOver(all, epsilon));
    at_most.emplace_back(delta, period);
  }
  std::sort(at_most.rbegin(), at_most.rend());
  for (const auto& [coarse, period] : at_most) {
    if (coarse <= worst) break;
    TOMBOLA_ASSIGN_OR_RETURN(const double delta, PeriodDelta(period, epsilon));
    worst = std::max(worst, std::min(coarse, delta));
  }
  return worst;
}

}  // namespace tombola::mechanism
