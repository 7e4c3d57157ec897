#include "collector/answer/items.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "collector/answer/answerer.h"
#include "collector/estimate/interval.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// Of devices that fill every place, above which frequencies suffer.
constexpr double kMostFull = 0.01;

}  // namespace

absl::StatusOr<std::vector<double>> ProcessShares(Postprocess how, const Estimates& estimates,
                                                  const Estimator& estimator,
                                                  const mechanism::Tally& tally) {
  if (how != Postprocess::kNone && how != Postprocess::kClip && how != Postprocess::kBaseCut) {
    return absl::InvalidArgumentError(
        "postprocess must be clip, base_cut or none: these shares do not sum to one, which the "
        "others would make them do");
  }
  PostprocessInput input;
  input.raw = estimates.raw;
  TOMBOLA_ASSIGN_OR_RETURN(input.threshold, estimator.NoiseThreshold(tally, kNoiseShare));
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<double> shares, Process(how, input));
  if (how != Postprocess::kBaseCut) return shares;
  input.raw = shares;
  return Process(Postprocess::kClip, input);
}

absl::Status FillSizes(const mechanism::CountModel& model, absl::Span<const int64_t> pads,
                       const mechanism::Tally& tally, double confidence, v1::Sizes* sizes) {
  const Estimator estimator(model, static_cast<int64_t>(pads.size()));
  TOMBOLA_ASSIGN_OR_RETURN(const Estimates estimates, estimator.Estimate(pads, tally));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval, estimator.IntervalAt(tally, confidence));
  // The share that holds fewer than k things; all of them hold fewer than one more than there are.
  const auto fewer = [&](size_t k) { return k == 0 ? 0 : estimates.raw[pads.size() - k]; };
  for (size_t k = 0; k < pads.size(); ++k) sizes->add_shares(fewer(k + 1) - fewer(k));
  const double full = 1 - estimates.raw.front();
  const double half = interval.HalfWidth(estimates.raw.front());
  sizes->add_shares(full);
  sizes->set_full(full);
  sizes->set_full_standard_error(estimates.standard_errors.front());
  sizes->set_full_low(full - half);
  sizes->set_full_high(full + half);
  if (full > kMostFull && full - half > 0) {
    sizes->set_hint(absl::StrFormat(
        "%.1f %% of the devices fill all %d places: of those that hold more, what is beyond is not "
        "counted, and frequencies are too small by it. Make the next task with a larger "
        "--max-items.",
        100 * std::min(full, 1.0), pads.size()));
  }
  return absl::OkStatus();
}

}  // namespace tombola::collector
