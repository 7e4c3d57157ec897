#include "common/scheme/stream_scheme.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/accounting/epsilon_search.h"
#include "common/base/status_macros.h"

namespace tombola::mechanism {
namespace {

// Of a period, so that every node has as many as it is sized for.
int64_t HonestOfPeriod(const Nodes& nodes) {
  int64_t most = 0;
  for (int64_t node = 1; node <= nodes.count(); ++node) {
    const auto number = static_cast<uint64_t>(node);
    const int64_t length = node - static_cast<int64_t>(nodes.FirstPeriod(number)) + 1;
    most = std::max(most, (nodes[number].honest + length - 1) / length);
  }
  return most;
}

}  // namespace

StreamScheme::StreamScheme(std::shared_ptr<const Nodes> nodes)
    : nodes_(std::move(nodes)), honest_(HonestOfPeriod(*nodes_)) {}

Parameters StreamScheme::parameters() const {
  Parameters parameters = first().parameters();
  parameters.honest = honest_;
  return parameters;
}

int64_t StreamScheme::own_reports_per_submission() const {
  return static_cast<int64_t>(nodes_->Depth()) * first().own_reports_per_submission();
}

double StreamScheme::expected_reports_per_submission() const {
  double most = 0;
  for (int64_t period = 1; period <= nodes_->count(); ++period) {
    double reports = 0;
    for (const uint64_t node : nodes_->Cover(static_cast<uint64_t>(period))) {
      reports += (*nodes_)[node].scheme->expected_reports_per_submission();
    }
    most = std::max(most, reports);
  }
  return most;
}

double StreamScheme::local_epsilon() const {
  double most = 0;
  for (int64_t period = 1; period <= nodes_->count(); ++period) {
    double all = 0;
    for (const uint64_t node : nodes_->Cover(static_cast<uint64_t>(period))) {
      all += (*nodes_)[node].scheme->local_epsilon();
    }
    most = std::max(most, all);
  }
  return most;
}

absl::Status StreamScheme::CheckHonest(int64_t honest) const {
  if (honest >= honest_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the noise of the stream's nodes is sized for ", honest_,
                   " honest submissions a period; nothing is proven for ", honest));
}

absl::StatusOr<double> StreamScheme::Delta(int64_t honest, double epsilon) const {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest));
  MutexLock lock(mutex_);
  if (last_.has_value() && last_->first == epsilon) return last_->second;
  TOMBOLA_ASSIGN_OR_RETURN(const double worst, nodes_->WorstDelta(epsilon));
  last_ = {epsilon, worst};
  return worst;
}

absl::StatusOr<double> StreamScheme::EpsilonAt(int64_t honest, double delta) const {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest));
  return accounting::SmallestEpsilon([&](double epsilon) { return Delta(honest, epsilon); }, delta);
}

absl::StatusOr<int64_t> StreamScheme::SmallestHonest(double epsilon, double delta) const {
  TOMBOLA_ASSIGN_OR_RETURN(const double holds, Delta(honest_, epsilon));
  if (holds <= delta) return honest_;
  return absl::FailedPreconditionError(
      absl::StrCat("the stream's noise gives delta ", holds, " at epsilon ", epsilon));
}

}  // namespace tombola::mechanism
