#include "lab/key_value/central.h"

#include <cmath>
#include <random>

#include "cli/simulation/distributions.h"
#include "common/accounting/gaussian.h"
#include "common/base/status_macros.h"

namespace tombola::lab {

using simulation::Generator;

Central Central::Laplace(const Setting& setting) {
  const double scale = 2 * static_cast<double>(setting.items) / setting.epsilon;
  return Central(setting, 2 * scale * scale,
                 [scale](Generator& noise) { return simulation::Laplace(scale, noise); });
}

absl::StatusOr<Central> Central::Gaussian(const Setting& setting, double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, accounting::GaussianTheta(setting.epsilon, delta));
  const double variance = 2 * static_cast<double>(setting.items) / (theta * theta);
  return Central(setting, variance, [deviation = std::sqrt(variance)](Generator& noise) {
    return std::normal_distribution<double>(0, deviation)(noise);
  });
}

Estimates Central::Run(Trial& trial, Generator& noise) const {
  const Kept& kept = trial.kept(setting_.items, setting_.levels);
  const double users = static_cast<double>(kept.users);
  Estimates estimates;
  for (int64_t key = 0; key < setting_.keys; ++key) {
    const double holders = static_cast<double>(kept.holders(key));
    if (setting_.levels == 1) {
      estimates.frequencies.push_back((holders + draw_(noise)) / users);
      continue;
    }
    const double plus = (holders + kept.sums[key]) / 2 + draw_(noise);
    const double minus = (holders - kept.sums[key]) / 2 + draw_(noise);
    estimates.frequencies.push_back((plus + minus) / users);
    estimates.means.push_back(MeanOf((plus - minus) / users, (plus + minus) / users, users));
  }
  return estimates;
}

std::optional<double> Central::FrequencyVariance(const KeyShare& key) const {
  return (setting_.levels * noise_variance_ + key.kept - key.kept_squares) /
         (key.users * key.users);
}

std::optional<double> Central::DifferenceVariance(const KeyShare& key) const {
  if (setting_.levels == 1) return std::nullopt;
  return (2 * noise_variance_ + (key.kept - key.kept_squares) * key.mean * key.mean) /
         (key.users * key.users);
}

}  // namespace tombola::lab
