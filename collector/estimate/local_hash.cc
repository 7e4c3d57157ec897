#include "collector/estimate/local_hash.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/estimate/interval.h"
#include "common/base/status_macros.h"
#include "common/mechanism/support.h"

namespace tombola::collector {

LocalHashEstimator::LocalHashEstimator(std::shared_ptr<const mechanism::LocalHash> local_hash)
    : local_hash_(std::move(local_hash)) {}

absl::Status LocalHashEstimator::CheckData(int64_t submissions) const {
  if (submissions < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("submissions is ", submissions, "; it must be at least 0"));
  }
  if (submissions == 0) return absl::FailedPreconditionError("no data: no submission was counted");
  if (!(local_hash_->p() > local_hash_->s())) {
    return absl::FailedPreconditionError(
        "local_hash.blanket_threshold is so close to 2^64 that reports do not depend on values");
  }
  return absl::OkStatus();
}

absl::StatusOr<Estimates> LocalHashEstimator::Estimate(absl::Span<const int64_t> counts,
                                                       int64_t submissions) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(submissions));
  if (counts.size() != static_cast<size_t>(local_hash_->domain_size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "counts has ", counts.size(), " entries; the domain has ", local_hash_->domain_size()));
  }
  const mechanism::Support& support = local_hash_->support();
  const double n = static_cast<double>(submissions);
  Estimates estimates;
  estimates.raw.reserve(counts.size());
  estimates.standard_errors.reserve(counts.size());
  for (const int64_t count : counts) {
    if (count < 0 || count > submissions) {
      return absl::InvalidArgumentError(
          absl::StrCat("counts has an entry outside [0, submissions = ", submissions, "]"));
    }
    const double raw = (static_cast<double>(count) / n - support.other) / support.separation;
    const double frequency = std::clamp(raw, 0.0, 1.0);
    estimates.raw.push_back(raw);
    estimates.standard_errors.push_back(
        std::sqrt(mechanism::EstimateVariance(support, frequency, submissions)));
  }
  return estimates;
}

absl::StatusOr<double> LocalHashEstimator::HalfWidth(double raw, int64_t submissions,
                                                     double confidence) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(submissions));
  if (!std::isfinite(raw)) return absl::InvalidArgumentError("raw must be finite");
  if (!(confidence > 0 && confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("confidence is ", confidence, "; it must be in (0, 1)"));
  }
  return IntervalHalfWidth(local_hash_->support(), submissions, raw, 1 - confidence);
}

absl::StatusOr<double> LocalHashEstimator::MaxError(int64_t submissions, double beta) const {
  TOMBOLA_RETURN_IF_ERROR(CheckData(submissions));
  if (!(beta > 0 && beta < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("beta is ", beta, "; it must be in (0, 1)"));
  }
  return BernsteinMaxError(local_hash_->support(), submissions, local_hash_->domain_size(), beta);
}

}  // namespace tombola::collector
