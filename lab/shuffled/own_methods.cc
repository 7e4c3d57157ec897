#include "lab/shuffled/own_methods.h"

#include <cmath>
#include <vector>

#include "cli/simulation/distributions.h"
#include "common/accounting/blanket.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::Poisson;

double NoisyCount(int64_t count, double mean, Generator& noise) {
  return static_cast<double>(count + Poisson(mean, noise)) - mean;
}

}  // namespace

double CellsOf(const Setting& setting) {
  return static_cast<double>(setting.levels * setting.keys + setting.items);
}

double SharedNoise::Messages(int64_t users) const {
  return static_cast<double>(setting_.items) +
         CellsOf(setting_) * mean_ / static_cast<double>(users);
}

Estimates SharedNoise::Run(Trial& trial, Generator& noise) const {
  const Kept& kept = trial.kept(setting_.items, setting_.levels);
  const double users = static_cast<double>(kept.users);
  Estimates estimates;
  for (int64_t key = 0; key < setting_.keys; ++key) {
    double count = 0, sum = 0;
    for (int level = 0; level < setting_.levels; ++level) {
      const double cell = NoisyCount(kept.at(key, level), mean_, noise);
      count += cell;
      if (setting_.levels > 1) sum += cell * LevelsOf(setting_.levels).At(level);
    }
    estimates.frequencies.push_back(count / users);
    if (setting_.levels > 1) estimates.means.push_back(MeanOf(sum / users, count / users, users));
  }
  return estimates;
}

std::optional<double> SharedNoise::FrequencyVariance(const KeyShare& key) const {
  return (setting_.levels * mean_ + key.kept - key.kept_squares) / (key.users * key.users);
}

std::optional<double> SharedNoise::DifferenceVariance(const KeyShare& key) const {
  if (setting_.levels == 1) return std::nullopt;
  const Levels levels = LevelsOf(setting_.levels);
  double squares = 0;
  for (int level = 0; level < setting_.levels; ++level) squares += std::pow(levels.At(level), 2);
  const int64_t below = levels.PlaceOf(key.mean).below;
  const double rounding = (key.mean - levels.At(below)) * (levels.At(below + 1) - key.mean);
  const double choice = (key.kept - key.kept_squares) * key.mean * key.mean;
  return (mean_ * squares + key.kept * rounding + choice) / (key.users * key.users);
}

double SampledNoise::Messages(int64_t users) const {
  return 1 + CellsOf(setting_) * mean_ / static_cast<double>(users);
}

Estimates SampledNoise::Run(Trial& trial, Generator& noise) const {
  const Padded& picked = trial.padded(setting_.items);
  const double users = static_cast<double>(picked.users);
  const double scale = static_cast<double>(setting_.items) / users;
  Estimates estimates;
  for (int64_t key = 0; key < setting_.keys; ++key) {
    if (setting_.levels == 1) {
      const int64_t count = picked.plus[key] + picked.minus[key];
      estimates.frequencies.push_back(scale * NoisyCount(count, mean_, noise));
      continue;
    }
    const double plus = scale * NoisyCount(picked.plus[key], mean_, noise);
    const double minus = scale * NoisyCount(picked.minus[key], mean_, noise);
    estimates.frequencies.push_back(plus + minus);
    estimates.means.push_back(MeanOf(plus - minus, plus + minus, users));
  }
  return estimates;
}

std::optional<double> SampledNoise::FrequencyVariance(const KeyShare& key) const {
  const double items = static_cast<double>(setting_.items);
  return (items * items * setting_.levels * mean_ + items * key.kept - key.kept_squares) /
         (key.users * key.users);
}

std::optional<double> SampledNoise::DifferenceVariance(const KeyShare& key) const {
  if (setting_.levels == 1) return std::nullopt;
  const double items = static_cast<double>(setting_.items);
  return (items * items * 2 * mean_ + items * key.kept - key.kept_squares * key.mean * key.mean) /
         (key.users * key.users);
}

absl::StatusOr<SharedNoise> PlanSharedNoise(const Setting& setting, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  TOMBOLA_ASSIGN_OR_RETURN(const double mean,
                           accounting::SmallestPoissonMean(setting.epsilon, delta, setting.items));
  return SharedNoise(setting, mean);
}

// The sampled cell is one of `items`, and the sum of their counts is Poisson with `items` times the
// mean: as one cell with that mean.
absl::StatusOr<SampledNoise> PlanSampledNoise(const Setting& setting, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  TOMBOLA_ASSIGN_OR_RETURN(const double mean,
                           accounting::SmallestPoissonMean(setting.epsilon, delta));
  return SampledNoise(setting, mean / static_cast<double>(setting.items));
}

// A uniform message is one of a record's cells with probability items / cells: the accountant of
// grr with the range cells / items.
absl::StatusOr<PaddedGrr> PlanPaddedGrr(const Setting& setting, int64_t users, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  const double cells = CellsOf(setting), range = cells / static_cast<double>(setting.items);
  TOMBOLA_ASSIGN_OR_RETURN(
      const double kappa,
      accounting::LargestKappa({.honest = users, .range = range}, setting.epsilon, delta));
  const double gamma = accounting::GammaOf(range, kappa);
  const double other = setting.levels * gamma / cells;
  return PaddedGrr{PaddedReports(setting, {.holder = other + 1 - gamma,
                                           .other = other,
                                           .tilt = setting.levels > 1 ? 1 - gamma : 0}),
                   accounting::LocalEpsilon(range, gamma)};
}

}  // namespace tombola::lab
