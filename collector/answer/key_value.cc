#include "collector/answer/key_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "collector/answer/columns.h"
#include "collector/answer/items.h"
#include "collector/estimate/normal.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"

namespace tombola::collector {
namespace {

constexpr double kSignificant = 3;  // standard errors of the frequency

// A mean, the standard error and the half width of its interval; NaN where there is none.
struct Mean {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double standard_error = mean;
  double half_width = mean;
};

// The counts of one key's levels, and what is known of its frequency.
struct Key {
  absl::Span<const int64_t> counts;
  double frequency = 0;
  double standard_error = 0;
  double half_width = 0;
};

class Means {
 public:
  Means(const KeyValueKind& kind, const mechanism::Tally& tally, double confidence)
      : model_(kind.tables()[0]->count_model()),
        levels_(kind.levels()),
        tally_(tally),
        normal_(NormalTailQuantile(std::max(1e-300, (1 - confidence) / 2))) {}

  Mean Of(const Key& key) const {
    if (!(key.frequency > kSignificant * key.standard_error)) return {};
    const double ratio = Moment(key, [](double level) { return level; });
    Mean found{.mean = std::clamp(ratio, levels_.low, levels_.high)};
    const HeldNumbers held = Held(key, found.mean);
    found.standard_error = std::sqrt(MeanVariance(model_, levels_, tally_, held));
    // Where the noise has heavier tails than a normal law, so have frequencies.
    const double quantile = std::max(normal_, key.half_width / key.standard_error);
    found.half_width = quantile * found.standard_error;
    return found;
  }

 private:
  // The holders' mean of a function of their level.
  template <typename Function>
  double Moment(const Key& key, const Function& function) const {
    double sum = 0;
    for (int64_t i = 0; i < levels_.count; ++i) {
      const double share = mechanism::Estimate(
          model_, tally_, static_cast<double>(key.counts[static_cast<size_t>(i)]));
      sum += share * function(levels_.At(i));
    }
    return sum / key.frequency;
  }

  // Numbers in [low, high] of this mean are off by at most (high - mean)(mean - low) in the mean
  // square, and rounding to the levels beside them by at most a quarter of a step's square.
  HeldNumbers Held(const Key& key, double mean) const {
    const double most = (levels_.high - mean) * (mean - levels_.low);
    const double rounded = std::min(levels_.step() * levels_.step() / 4, most);
    const double square =
        Moment(key, [&](double level) { return (level - mean) * (level - mean); });
    return {.frequency = key.frequency,
            .mean = mean,
            .square = std::clamp(square, rounded, most),
            .rounded = rounded};
  }

  mechanism::CountModel model_;
  Levels levels_;
  mechanism::Tally tally_;
  double normal_;
};

std::vector<int64_t> KeyCounts(absl::Span<const int64_t> counts, const ItemCells& cells) {
  std::vector<int64_t> sums(static_cast<size_t>(cells.values));
  for (size_t key = 0; key < sums.size(); ++key) {
    for (int64_t i = 0; i < cells.levels; ++i) sums[key] += counts[cells.CellOf(key, i)];
  }
  return sums;
}

}  // namespace

absl::StatusOr<int64_t> KeyValueAnswerer::Bytes(const Task& task,
                                                const v1::GetAnswerRequest& request,
                                                AnswerForm form) const {
  const v1::KeyValueQuestion& question = request.key_value();
  return ColumnBytes(task, {question.top(), question.values_size()},
                     {.columns = 9, .counted = 2 * task.domain().size()}, form);
}

absl::Status KeyValueAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                    Postprocess postprocess, v1::Answer* answer) const {
  const auto& kind = static_cast<const KeyValueKind&>(evidence.kind());
  const ItemCells& cells = kind.cells();
  const mechanism::Tally& tally = evidence.tally;
  const auto counts = absl::MakeConstSpan(evidence.counts.tables.front().counts);
  const Estimator estimator(kind.key_model(), cells.values);
  TOMBOLA_ASSIGN_OR_RETURN(const Estimates estimates,
                           estimator.Estimate(KeyCounts(counts, cells), tally));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                           ProcessShares(postprocess, estimates, estimator, tally));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval,
                           estimator.IntervalAt(tally, request.confidence()));
  TOMBOLA_ASSIGN_OR_RETURN(
      const std::vector<uint64_t> keys,
      Pick(request.key_value().top(), request.key_value().values(), frequencies));
  TOMBOLA_ASSIGN_OR_RETURN(const double max_error,
                           estimator.MaxError(tally, 1 - request.confidence()));
  v1::KeyValues* const body = answer->mutable_key_value();
  body->set_max_error(max_error);
  FillColumns(evidence.task.domain(), keys, {estimates, frequencies, interval}, body);
  if (request.key_value().top() > 0) {
    TOMBOLA_ASSIGN_OR_RETURN(const Band band, estimator.BandAt(tally, 1 - request.confidence()));
    *body->mutable_ranking() = RankingOf(band, estimates.raw, keys, request.key_value().top());
  }
  const Means means(kind, tally, request.confidence());
  for (const uint64_t key : keys) {
    const Mean mean =
        means.Of({.counts = counts.subspan(cells.CellOf(key, 0), static_cast<size_t>(cells.levels)),
                  .frequency = estimates.raw[key],
                  .standard_error = estimates.standard_errors[key],
                  .half_width = interval.HalfWidth(estimates.raw[key])});
    body->add_means(mean.mean);
    body->add_mean_standard_errors(mean.standard_error);
    body->add_mean_low(std::max(mean.mean - mean.half_width, kind.levels().low));
    body->add_mean_high(std::min(mean.mean + mean.half_width, kind.levels().high));
  }
  return FillSizes(kind.tables()[0]->count_model(), counts.subspan(cells.Pad(0)), tally,
                   request.confidence(), body->mutable_sizes());
}

}  // namespace tombola::collector
