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
    : model_(table.count_model()), domain_size_(table.domain_size()) {
  const mechanism::Bloom* const bloom = table.bloom();
  if (bloom != nullptr && bloom->options().hashes > 1) weights_.emplace(*bloom);
}

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
  if (weights_.has_value()) return Unmix(counts, tally);
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

// A value's interval is that of a lone bit, stretched to the standard error that it has.
Estimates Estimator::Unmix(absl::Span<const int64_t> counts, const mechanism::Tally& tally) const {
  Estimates estimates;
  std::vector<double> frequencies;
  for (const double count : weights_->LoneCounts(counts, mechanism::Background(model_, tally))) {
    estimates.raw.push_back(mechanism::Estimate(model_, tally, count));
    frequencies.push_back(std::clamp(estimates.raw.back(), 0.0, 1.0));
  }
  const double submissions = static_cast<double>(tally.submissions);
  for (size_t value = 0; value < frequencies.size(); ++value) {
    const double variance = weights_->Variance(value, model_.support, frequencies) / submissions;
    const double lone = mechanism::EstimateVariance(model_, tally, frequencies[value]);
    estimates.standard_errors.push_back(std::sqrt(variance));
    estimates.widening.push_back(lone > 0 ? std::sqrt(variance / lone) : 1);
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
  if (weights_.has_value()) {
    // As BernsteinMaxError: the bits of a report are independent, and each changes an estimate by
    // its weight.
    const double n = static_cast<double>(tally.submissions);
    const double log_term = std::log(2 * static_cast<double>(domain_size_) / beta);
    const double variance = weights_->MostVariance(model_.support) / n;
    return std::sqrt(2 * variance * log_term) +
           2 * weights_->MostWeight() * log_term / (3 * n * mechanism::Signal(model_));
  }
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
  const double lone = UpperQuantileAtZero(model_, tally, tail);
  if (!weights_.has_value()) return lone;
  const double of_lone = mechanism::EstimateVariance(model_, tally, /*frequency=*/0);
  const double most =
      weights_->MostVariance(model_.support) / static_cast<double>(tally.submissions);
  return lone * std::sqrt(std::max(1.0, most / of_lone));
}

}  // namespace tombola::collector
