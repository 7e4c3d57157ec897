#include "collector/estimate/estimator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

absl::Status CheckProbability(absl::string_view name, double value) {
  if (value > 0 && value < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, "; it must be in (0, 1)"));
}

absl::Status CheckNotNegative(absl::string_view name, int64_t value) {
  if (value >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, "; it must be at least 0"));
}

}  // namespace

Estimator::Estimator(const mechanism::Table& table)
    : model_(table.count_model()), domain_size_(table.domain_size()) {}

absl::Status Estimator::CheckData(const mechanism::Tally& tally) const {
  TOMBOLA_RETURN_IF_ERROR(CheckNotNegative("submissions", tally.submissions));
  TOMBOLA_RETURN_IF_ERROR(CheckNotNegative("fakes", tally.fakes));
  if (tally.submissions == 0) {
    return absl::FailedPreconditionError("no data: no submission was counted");
  }
  if (!(mechanism::Signal(model_) > 0)) {
    return absl::FailedPreconditionError("the mechanism's reports do not depend on values");
  }
  return absl::OkStatus();
}

absl::StatusOr<Estimates> Estimator::Estimate(absl::Span<const int64_t> counts,
                                              const mechanism::Tally& tally) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(tally));
  if (counts.size() != static_cast<size_t>(domain_size_)) {
    return absl::InvalidArgumentError(
        absl::StrCat("counts has ", counts.size(), " entries; the domain has ", domain_size_));
  }
  Estimates estimates;
  estimates.raw.reserve(counts.size());
  estimates.standard_errors.reserve(counts.size());
  for (const int64_t count : counts) {
    const double raw = mechanism::Estimate(model_, tally, static_cast<double>(count));
    const double frequency = std::clamp(raw, 0.0, 1.0);
    estimates.raw.push_back(raw);
    estimates.standard_errors.push_back(
        std::sqrt(mechanism::EstimateVariance(model_, tally, frequency)));
  }
  return estimates;
}

absl::StatusOr<Interval> Estimator::IntervalAt(const mechanism::Tally& tally,
                                               double confidence) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(tally));
  TOMBOLA_RETURN_IF_ERROR(CheckProbability("confidence", confidence));
  return Interval(model_, tally, 1 - confidence);
}

absl::StatusOr<double> Estimator::MaxError(const mechanism::Tally& tally, double beta) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(tally));
  TOMBOLA_RETURN_IF_ERROR(CheckProbability("beta", beta));
  return model_.difference_shape > 0 ? DifferenceMaxError(model_, tally, domain_size_, beta)
                                     : BernsteinMaxError(model_, tally, domain_size_, beta);
}

absl::StatusOr<Band> Estimator::BandAt(const mechanism::Tally& tally, double beta) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(tally));
  TOMBOLA_RETURN_IF_ERROR(CheckProbability("beta", beta));
  return Band(model_, tally, domain_size_, beta);
}

absl::StatusOr<double> Estimator::NoiseThreshold(const mechanism::Tally& tally,
                                                 double alpha) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(tally));
  TOMBOLA_RETURN_IF_ERROR(CheckProbability("alpha", alpha));
  // A union bound over the domain; less than 1e-300 is not asked of a tail.
  const double tail = std::max(1e-300, alpha / static_cast<double>(domain_size_));
  return UpperQuantileAtZero(model_, tally, tail);
}

}  // namespace tombola::collector
