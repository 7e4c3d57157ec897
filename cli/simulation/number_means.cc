#include "cli/simulation/number_means.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/simulation/distributions.h"
#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/kind/levels.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

CountModel MeanModel(const MeanCounting& counting, const NumberData& data) {
  if (counting.mechanism != nullptr) return counting.mechanism->count_model();
  const double users = static_cast<double>(data.users());
  return {.support = {.holder = 1, .separation = 1},
          .noise_variance = 8 / (counting.epsilon * counting.epsilon * users)};
}

Levels UnitLevels(const MeanCounting& counting) {
  return {.low = 0, .high = 1, .count = counting.levels};
}

HeldNumbers HeldOf(const Levels& levels, const NumberData& data) {
  const double with = static_cast<double>(data.with_number());
  HeldNumbers held{.frequency = with / static_cast<double>(data.users())};
  for (size_t i = 0; i < data.points.size(); ++i) {
    held.mean += data.points[i] * static_cast<double>(data.counts[i]) / with;
  }
  for (size_t i = 0; i < data.points.size(); ++i) {
    const double share = static_cast<double>(data.counts[i]) / with;
    const double above = levels.PlaceOf(data.points[i]).above;
    held.rounded += share * levels.step() * levels.step() * above * (1 - above);
    held.square += share * std::pow(data.points[i] - held.mean, 2);
  }
  held.square += held.rounded;
  return held;
}

// The level that each device's number becomes this time; behind them those without one.
std::vector<int64_t> DrawLevels(const Levels& levels, const NumberData& data, Generator& random) {
  std::vector<int64_t> counts(static_cast<size_t>(levels.count));
  for (size_t i = 0; i < data.points.size(); ++i) {
    const Levels::Place place = levels.PlaceOf(data.points[i]);
    const int64_t up = Binomial(data.counts[i], place.above, random);
    const auto below = static_cast<size_t>(place.below);
    counts[below] += data.counts[i] - up;
    if (up > 0) counts[below + 1] += up;
  }
  if (data.missing) counts.push_back(data.none);
  return counts;
}

// The shares of the levels that one batch says, and of those without a number.
std::vector<double> LevelShares(const MeanCounting& counting, const NumberData& data, bool devices,
                                Generator& random) {
  const RangeTree tree(counting.levels, 0, data.missing);
  const std::vector<int64_t> filled = DrawLevels(UnitLevels(counting), data, random);
  std::vector<double> cells;
  if (counting.mechanism == nullptr) {
    cells = DrawLaplaceEstimates(filled, counting.epsilon, random);
  } else {
    const std::vector<int64_t> counts =
        devices ? RunNumberDevices(counting.mechanism, tree, filled, random)
                : DrawCounts(*counting.mechanism, filled, random);
    const CountModel model = counting.mechanism->count_model();
    const Tally tally{.submissions = data.users()};
    for (const int64_t count : counts) {
      cells.push_back(mechanism::Estimate(model, tally, static_cast<double>(count)));
    }
  }
  return LeastSquares(tree, cells, {1.0}, /*total=*/1);
}

}  // namespace

// MeanVariance is that of the sum of level times share over the sum of shares as they are counted.
// Least squares takes from every share alike what all are too much together: noise that is
// independent for the cells. What reports say instead of their own level adds up by itself.
double PredictMean(const MeanCounting& counting, const NumberData& data) {
  const CountModel model = MeanModel(counting, data);
  const Levels levels = UnitLevels(counting);
  const HeldNumbers held = HeldOf(levels, data);
  const double ratio = MeanVariance(model, levels, {.submissions = data.users()}, held);
  if (model.noise == CountModel::Noise::kCoins && model.support.other > 0) return ratio;
  double off = 0;
  for (int64_t level = 0; level < levels.count; ++level) off += levels.At(level) - held.mean;
  const double cells = static_cast<double>(levels.count + (data.missing ? 1 : 0));
  const double divisor = model.support.separation * held.frequency;
  return ratio - model.noise_variance * off * off /
                     (cells * static_cast<double>(data.users()) * divisor * divisor);
}

absl::StatusOr<Mean> RunMeanTrials(const MeanCounting& counting, const NumberData& data,
                                   const TrialOptions& options) {
  const Levels levels = UnitLevels(counting);
  const double truth = HeldOf(levels, data).mean;
  std::vector<double> errors(static_cast<size_t>(std::max<int64_t>(options.trials, 0)));
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t trial, Generator& random) {
    const std::vector<double> shares = LevelShares(counting, data, options.devices, random);
    double with = 0, sum = 0;
    for (int64_t level = 0; level < levels.count; ++level) {
      with += shares[static_cast<size_t>(level)];
      sum += shares[static_cast<size_t>(level)] * levels.At(level);
    }
    // With no device that seems to have a number the middle is as good as any.
    const double mean = with > 0 ? std::clamp(sum / with, 0.0, 1.0) : 0.5;
    errors[trial] = (mean - truth) * (mean - truth);
    return absl::OkStatus();
  }));
  return MeanOf(errors);
}

}  // namespace tombola::simulation
