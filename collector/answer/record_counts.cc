#include "collector/answer/record_counts.h"

#include <algorithm>
#include <cmath>

#include "common/ranges/least_squares.h"

namespace tombola::collector {
namespace {

double Middle(const Levels& levels) { return levels.low + (levels.high - levels.low) / 2; }

// Runs of equal weights.
std::vector<WeightedRun> RunsOf(const std::vector<double>& weights) {
  std::vector<WeightedRun> runs;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (runs.empty() || runs.back().weight != weights[i]) runs.push_back({.weight = weights[i]});
    runs.back().end = static_cast<int64_t>(i) + 1;
  }
  return runs;
}

// What is before `end` weighs 1 - fraction times as much, what is behind it -fraction times.
std::vector<WeightedRun> SplitRuns(const std::vector<WeightedRun>& runs, int64_t end,
                                   double fraction) {
  std::vector<WeightedRun> split;
  int64_t begin = 0;
  for (const WeightedRun& run : runs) {
    if (begin < end) {
      split.push_back({.end = std::min(run.end, end), .weight = (1 - fraction) * run.weight});
    }
    if (run.end > end) split.push_back({.end = run.end, .weight = -fraction * run.weight});
    begin = run.end;
  }
  return split;
}

}  // namespace

CellNoise::CellNoise(const mechanism::CountModel& model, const mechanism::Tally& tally,
                     double alpha)
    : submissions_(static_cast<double>(tally.submissions)),
      variance_(mechanism::EstimateVariance(model, tally, /*frequency=*/0) * submissions_ *
                submissions_),
      interval_(model, tally, alpha),
      half_widths_(interval_) {}

double CellNoise::HalfWidth(double variance_of_sum, double reach) const {
  if (!(variance_of_sum > 0)) return 0;
  return submissions_ *
         half_widths_.Of(std::sqrt(variance_of_sum) / submissions_, reach / submissions_);
}

v1::Estimate CellNoise::Around(double value, double variance_of_sum, double reach) const {
  const double half = HalfWidth(variance_of_sum, reach);
  v1::Estimate wire;
  wire.set_value(value);
  wire.set_standard_error(std::sqrt(std::max(0.0, variance_of_sum)));
  wire.set_low(value - half);
  wire.set_high(value + half);
  return wire;
}

RecordCounts::RecordCounts(const RecordCells& cells, const RecordsView& view,
                           absl::Span<const int64_t> counts, const mechanism::CountModel& model,
                           const mechanism::Tally& tally)
    : view_(view),
      factors_(view.tree, std::vector<double>(static_cast<size_t>(view.tree.levels()), 1.0)) {
  const auto nodes = static_cast<size_t>(view.tree.cells());
  const auto levels = static_cast<size_t>(view.levels);
  const double n = static_cast<double>(tally.submissions);
  const Levels* const measure =
      view.measure.has_value() ? &cells.schema.measures[*view.measure].levels : nullptr;
  std::vector<double> sums(nodes);
  std::vector<double> moved(measure == nullptr ? 0 : nodes);
  for (size_t node = 0; node < nodes; ++node) {
    for (size_t level = 0; level < levels; ++level) {
      const size_t cell = static_cast<size_t>(view.first) + node * levels + level;
      const double here = mechanism::Estimate(model, tally, static_cast<double>(counts[cell])) * n;
      sums[node] += here;
      if (measure != nullptr) {
        moved[node] += (measure->At(static_cast<int64_t>(level)) - Middle(*measure)) * here;
      }
    }
  }
  const std::vector<double> alike(static_cast<size_t>(view.tree.levels()), 1.0);
  counts_ = LeastSquares(view.tree, sums, alike, n * static_cast<double>(cells.schema.max_records));
  if (measure != nullptr) moved_ = LeastSquares(view.tree, moved, alike, std::nullopt);
}

RecordCounts::Known RecordCounts::FlatFactors(double sum, double squares) const {
  // Pads are leaves too.
  const double leaves = static_cast<double>(view_.tree.leaves() + 1);
  return {.known = std::max(0.0, squares - sum * sum / leaves), .unknown = squares};
}

RecordCounts::Known RecordCounts::TreeFactors(absl::Span<const WeightedRun> runs) const {
  return {.known = factors_.Of(runs), .unknown = factors_.Of(runs, 0, RangeTotal::kUnknown)};
}

std::vector<RecordSum> RecordCounts::Sums(const std::vector<std::vector<double>>& weights,
                                          const std::vector<size_t>& by) const {
  size_t groups = 1;
  for (const size_t place : by) groups *= static_cast<size_t>(view_.sizes[place]);
  std::vector<RecordSum> sums(groups);
  std::vector<double> weight_sums(groups), weight_squares(groups);
  std::vector<size_t> at(view_.sizes.size());
  for (int64_t leaf = 0; leaf < view_.leaves; ++leaf) {
    int64_t rest = leaf;
    for (size_t i = at.size(); i-- > 0;) {
      at[i] = static_cast<size_t>(rest % view_.sizes[i]);
      rest /= view_.sizes[i];
    }
    double weight = 1;
    for (size_t i = 0; i < at.size(); ++i) weight *= weights[i][at[i]];
    if (weight == 0) continue;
    size_t group = 0;
    for (const size_t place : by) {
      group = group * static_cast<size_t>(view_.sizes[place]) + at[place];
    }
    RecordSum& sum = sums[group];
    const double count = counts_[static_cast<size_t>(leaf)];
    sum.count += weight * count;
    if (!moved_.empty()) sum.moved += weight * moved_[static_cast<size_t>(leaf)];
    if (weight < 1) sum.partial += std::max(0.0, count);
    weight_sums[group] += weight;
    weight_squares[group] += weight * weight;
  }
  for (size_t group = 0; group < groups; ++group) {
    Known factors;
    if (flat()) {
      factors = FlatFactors(weight_sums[group], weight_squares[group]);
    } else {
      // Of one attribute: its values are the leaves.
      std::vector<WeightedRun> runs;
      if (by.empty()) {
        runs = RunsOf(weights[0]);
      } else {
        const auto leaf = static_cast<int64_t>(group);
        if (leaf > 0) runs.push_back({.end = leaf, .weight = 0});
        runs.push_back({.end = leaf + 1, .weight = weights[0][group]});
        if (leaf + 1 < view_.tree.leaves()) runs.push_back({.end = view_.tree.leaves()});
      }
      factors = TreeFactors(runs);
    }
    sums[group].count_factor = factors.known;
    sums[group].moved_factor = factors.unknown;
  }
  return sums;
}

std::vector<RecordSum> RecordCounts::Below(const std::vector<std::vector<double>>& weights,
                                           size_t by) const {
  const std::vector<RecordSum> each = Sums(weights, {by});
  double all = 0;
  double all_sum = 0, all_squares = 0;  // of weights, of each value's leaves together
  std::vector<double> value_sums(each.size()), value_squares(each.size());
  double others = 1, other_squares = 1;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (i == by) continue;
    double sum = 0, squares = 0;
    for (const double weight : weights[i]) {
      sum += weight;
      squares += weight * weight;
    }
    others *= sum;
    other_squares *= squares;
  }
  for (size_t value = 0; value < each.size(); ++value) {
    const double weight = weights[by][value];
    all += each[value].count;
    all_sum += value_sums[value] = weight * others;
    all_squares += value_squares[value] = weight * weight * other_squares;
  }
  std::vector<RecordSum> below(each.size());
  const std::vector<WeightedRun> runs = RunsOf(weights[by]);
  double count = 0, sum = 0, squares = 0;
  for (size_t value = 0; value < each.size(); ++value) {
    count += each[value].count;
    sum += value_sums[value];
    squares += value_squares[value];
    below[value].count = count;
    const double fraction = count / all;
    if (flat()) {
      const double rest = 1 - fraction;
      below[value].count_factor =
          FlatFactors(rest * sum - fraction * (all_sum - sum),
                      rest * rest * squares + fraction * fraction * (all_squares - squares))
              .known;
      continue;
    }
    below[value].count_factor =
        factors_.Of(SplitRuns(runs, static_cast<int64_t>(value) + 1, fraction));
  }
  return below;
}

RecordSum RecordCounts::All() const {
  std::vector<std::vector<double>> weights;
  for (const int64_t size : view_.sizes) {
    weights.emplace_back(static_cast<size_t>(size), 1.0);
  }
  return Sums(weights, {}).front();
}

namespace {

// By inversion: the averages that the two sums do not speak against.
v1::Estimate AverageOf(const RecordSum& sum, double count_variance, double moved_variance,
                       double rounded, const CellNoise& noise, const Levels& levels) {
  const double middle = Middle(levels);
  const double value = std::clamp(middle + sum.moved / sum.count, levels.low, levels.high);
  const auto variance_at = [&](double average) {
    return moved_variance + (average - middle) * (average - middle) * count_variance + rounded;
  };
  const auto possible = [&](double average) {
    const double off = std::abs(sum.moved - (average - middle) * sum.count);
    return off <= noise.HalfWidth(variance_at(average), levels.high - levels.low);
  };
  const auto farthest = [&](double end) {
    if (possible(end)) return end;
    double inside = value;
    double outside = end;
    for (int i = 0; i < 60; ++i) {
      const double between = inside + (outside - inside) / 2;
      (possible(between) ? inside : outside) = between;
    }
    return outside;
  };
  v1::Estimate wire;
  wire.set_value(value);
  wire.set_standard_error(std::sqrt(variance_at(value)) / sum.count);
  wire.set_low(farthest(levels.low));
  wire.set_high(farthest(levels.high));
  return wire;
}

}  // namespace

bool StandsOut(const v1::Estimate& count) {
  return count.value() > 0 && count.value() > 3 * count.standard_error();
}

RecordEstimates EstimatesOf(const RecordSum& sum, const CellNoise& noise, int64_t levels_of_view,
                            const Levels* measure) {
  RecordEstimates estimates;
  const double count_variance =
      noise.variance() * static_cast<double>(levels_of_view) * sum.count_factor;
  estimates.count = noise.Around(sum.count, count_variance, 1);
  if (measure == nullptr) return estimates;
  const double middle = Middle(*measure);
  double squares = 0;
  for (int64_t level = 0; level < measure->count; ++level) {
    const double off = measure->At(level) - middle;
    squares += off * off;
  }
  const double moved_variance = noise.variance() * squares * sum.moved_factor;
  // The coin of a record whose measure is between two levels, at its most.
  const double step = measure->step();
  const double rounded = std::max(0.0, sum.count) * step * step / 4;
  estimates.sum = noise.Around(middle * sum.count + sum.moved,
                               middle * middle * count_variance + moved_variance + rounded,
                               std::max(std::abs(measure->low), std::abs(measure->high)));
  if (StandsOut(estimates.count)) {
    estimates.average = AverageOf(sum, count_variance, moved_variance, rounded, noise, *measure);
  }
  return estimates;
}

}  // namespace tombola::collector
