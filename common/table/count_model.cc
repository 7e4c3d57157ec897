#include "common/table/count_model.h"

namespace tombola::mechanism {

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
