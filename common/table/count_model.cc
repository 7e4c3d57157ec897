#include "common/table/count_model.h"

namespace tombola::mechanism {

// Noise on the cells is independent, but for reports that are randomised responses: each of those
// names one of all cells.
CountModel Joined(const CountModel& model, int64_t cells) {
  const double times = static_cast<double>(cells);
  CountModel joined = model;
  joined.support.other *= times;
  joined.support.holder = joined.support.other + joined.support.separation;
  joined.noise_mean *= times;
  joined.noise_variance *= times;
  joined.noise_third *= times;
  joined.difference_shape *= times;
  joined.fake_support *= times;
  if (model.noise != CountModel::Noise::kCoins) return joined;
  if (model.support.other <= 0) {
    joined.coins *= cells;
    return joined;
  }
  const double chance = joined.noise_mean / static_cast<double>(model.coins);
  joined.noise_variance = joined.noise_mean * (1 - chance);
  joined.noise_third = joined.noise_variance * (1 - 2 * chance);
  return joined;
}

double Background(const CountModel& model, const Tally& tally) {
  return static_cast<double>(tally.submissions) * (model.support.other + model.noise_mean) +
         static_cast<double>(tally.fakes) * model.fake_support;
}

double Estimate(const CountModel& model, const Tally& tally, double count) {
  return (count - Background(model, tally)) /
         (static_cast<double>(tally.submissions) * Signal(model));
}

double EstimateVariance(const CountModel& model, const Tally& tally, double frequency) {
  const double n = static_cast<double>(tally.submissions);
  const double fakes = static_cast<double>(tally.fakes) / n;
  const double added = model.noise_variance + fakes * model.fake_support * (1 - model.fake_support);
  return EstimateVariance(model.support, frequency, tally.submissions) +
         added / (n * Signal(model) * Signal(model));
}

double AverageSquaredError(const CountModel& model, int64_t domain_size, const Tally& tally) {
  return EstimateVariance(model, tally, 1 / static_cast<double>(domain_size));
}

}  // namespace tombola::mechanism
