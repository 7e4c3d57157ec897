#include "lab/key_value/ternary.h"

#include <algorithm>
#include <cmath>

#include "cli/simulation/distributions.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

// Adds what `devices` say of which each says + and - with these probabilities.
void AddDraws(int64_t devices, double plus, double minus, Generator& noise, Tally& tally) {
  const int64_t said_plus = Binomial(devices, plus, noise);
  const double rest = plus < 1 ? std::min(1.0, minus / (1 - plus)) : 0;
  tally.plus += said_plus;
  tally.minus += Binomial(devices - said_plus, rest, noise);
}

}  // namespace

Tally DrawTally(const Ternary& law, const Tally& picked, Generator& noise) {
  Tally tally = {.reports = picked.reports};
  const double own = (law.holder + law.tilt) / 2, opposite = (law.holder - law.tilt) / 2;
  AddDraws(picked.plus, own, opposite, noise, tally);
  AddDraws(picked.minus, opposite, own, noise, tally);
  AddDraws(picked.reports - picked.plus - picked.minus, law.other / 2, law.other / 2, noise, tally);
  return tally;
}

double FrequencyOf(const Ternary& law, double scale, const Tally& tally) {
  const double share =
      static_cast<double>(tally.plus + tally.minus) / static_cast<double>(tally.reports);
  return scale * (share - law.other) / (law.holder - law.other);
}

double DifferenceOf(const Ternary& law, double scale, const Tally& tally) {
  const double share =
      static_cast<double>(tally.plus - tally.minus) / static_cast<double>(tally.reports);
  return scale * share / law.tilt;
}

Estimates EstimatePadded(const Setting& setting, const Ternary& law, const Padded& picked,
                         Generator& noise) {
  Estimates estimates;
  const double scale = static_cast<double>(setting.items);
  const double users = static_cast<double>(picked.users);
  for (size_t key = 0; key < picked.plus.size(); ++key) {
    const Tally tally = DrawTally(law, {picked.users, picked.plus[key], picked.minus[key]}, noise);
    estimates.frequencies.push_back(FrequencyOf(law, scale, tally));
    if (law.tilt == 0) continue;
    estimates.means.push_back(
        MeanOf(DifferenceOf(law, scale, tally), estimates.frequencies.back(), users));
  }
  return estimates;
}

// A holder that keeps the key with probability t says + or - with probability other + gain t /
// items.
double PaddedFrequencyVariance(const Setting& setting, const Ternary& law, const KeyShare& key) {
  const double items = static_cast<double>(setting.items), gain = law.holder - law.other;
  const double of_count = key.users * law.other * (1 - law.other) +
                          (1 - 2 * law.other) * gain * key.kept / items -
                          gain * gain * key.kept_squares / (items * items);
  return of_count * items * items / (key.users * key.users * gain * gain);
}

double PaddedDifferenceVariance(const Setting& setting, const Ternary& law, const KeyShare& key) {
  const double items = static_cast<double>(setting.items), gain = law.holder - law.other;
  const double tilt = law.tilt * key.mean;
  const double of_difference = key.users * law.other + gain * key.kept / items -
                               tilt * tilt * key.kept_squares / (items * items);
  return of_difference * items * items / (key.users * key.users * law.tilt * law.tilt);
}

double PaddedMeanVariance(const Setting& setting, const Ternary& law, const KeyShare& key) {
  const double items = static_cast<double>(setting.items), gain = law.holder - law.other;
  const double f = key.kept / key.users;
  // Of the sum and the difference of the two counts, by the scales of the two estimates.
  const double covariance = key.mean * items *
                            ((1 - law.other) * key.kept - gain * key.kept_squares / items) /
                            (key.users * key.users * gain);
  return (PaddedDifferenceVariance(setting, law, key) - 2 * key.mean * covariance +
          key.mean * key.mean * PaddedFrequencyVariance(setting, law, key)) /
         (f * f);
}

double AskedTernary::Mean(const Tally& tally) const {
  return MeanOf(DifferenceOf(ternary_, 1, tally), FrequencyOf(ternary_, 1, tally),
                static_cast<double>(tally.reports));
}

Estimates AskedTernary::Run(Trial& trial, Generator& noise) const {
  const Asked& asked = trial.asked(1).front();
  Estimates estimates = {.frequencies = std::vector<double>(asked.users.size(), 0),
                         .means = std::vector<double>(asked.users.size(), 0)};
  for (size_t key = 0; key < asked.users.size(); ++key) {
    if (asked.users[key] == 0) continue;  // nobody was asked: 0 is as good as any
    const Tally tally =
        DrawTally(ternary_, {asked.users[key], asked.plus[key], asked.minus[key]}, noise);
    estimates.frequencies[key] = FrequencyOf(ternary_, 1, tally);
    estimates.means[key] = Mean(tally);
  }
  return estimates;
}

double InverseAsked(double mean) {
  if (mean > 100) return (1 + (1 + (2 + 6 / mean) / mean) / mean) / mean;
  double probability = std::exp(-mean), sum = 0;
  const double some = -std::expm1(-mean);
  for (int n = 1; n < 1000; ++n) {
    probability *= mean / n;
    sum += probability / n;
  }
  return sum / some;
}

// What the devices' coins add, and which of the devices were asked, without replacement.
std::optional<double> AskedTernary::FrequencyVariance(const KeyShare& key) const {
  const double f = key.holders / key.users;
  const double inverse = InverseAsked(key.users / static_cast<double>(setting().keys));
  const double holder = ternary_.holder, other = ternary_.other, gain = holder - other;
  const double coins = f * holder * (1 - holder) + (1 - f) * other * (1 - other);
  return inverse * coins / (gain * gain) + (inverse - 1 / key.users) * f * (1 - f);
}

std::optional<double> AskedTernary::DifferenceVariance(const KeyShare& key) const {
  const double f = key.holders / key.users;
  const double inverse = InverseAsked(key.users / static_cast<double>(setting().keys));
  const double square = ternary_.tilt * ternary_.tilt, mean_square = key.mean * key.mean;
  const double coins = f * ternary_.holder + (1 - f) * ternary_.other - square * f * mean_square;
  return inverse * coins / square + (inverse - 1 / key.users) * mean_square * f * (1 - f);
}

double SignedKeys(const Setting& setting) {
  return 2 * static_cast<double>(setting.keys + setting.items);
}

std::vector<double> PaddedPickLaw(const Setting& setting, absl::Span<const Pair> record) {
  std::vector<double> law(2 * (setting.keys + setting.items), 0);
  const double items = static_cast<double>(setting.items);
  const double length = static_cast<double>(record.size());
  const double place = 1 / std::max(items, length);
  for (const Pair& pair : record) {
    law[2 * pair.key] = place * (1 + pair.value) / 2;
    law[2 * pair.key + 1] = place * (1 - pair.value) / 2;
  }
  const double dummies = std::max(0.0, items - length) * place;
  for (size_t cell = 2 * setting.keys; cell < law.size(); ++cell) law[cell] = dummies / items / 2;
  return law;
}

StateLaw AskedStateLaw(absl::Span<const Pair> record, int64_t key) {
  for (const Pair& pair : record) {
    if (pair.key == key) return {(1 + pair.value) / 2, (1 - pair.value) / 2, 0};
  }
  return {0, 0, 1};
}

}  // namespace tombola::lab
