#include "lab/key_value/rappor_harmony.h"

#include <cmath>

#include "cli/simulation/distributions.h"
#include "lab/key_value/ternary.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

// The share of ones less that of zeros before every bit was kept with probability `keep`.
double Difference(int64_t ones, int64_t users, double keep, Generator& noise) {
  const int64_t said = Binomial(ones, keep, noise) + Binomial(users - ones, 1 - keep, noise);
  return (2 * static_cast<double>(said) / static_cast<double>(users) - 1) / (2 * keep - 1);
}

}  // namespace

RapporHarmony::RapporHarmony(const Setting& setting)
    : LocalMethod(setting), keep_(1 / (1 + std::exp(-setting.epsilon))) {}

Estimates RapporHarmony::Run(Trial& trial, Generator& noise) const {
  const Asked& presence = trial.asked(2)[0];
  const Asked& value = trial.asked(2)[1];
  Estimates estimates = {.frequencies = std::vector<double>(presence.users.size(), 0),
                         .means = std::vector<double>(presence.users.size(), 0)};
  for (size_t key = 0; key < presence.users.size(); ++key) {
    if (presence.users[key] == 0 || value.users[key] == 0) continue;
    const int64_t holders = presence.plus[key] + presence.minus[key];
    estimates.frequencies[key] = (Difference(holders, presence.users[key], keep_, noise) + 1) / 2;
    // Harmony's bit is + with probability (1 + v (2 keep - 1))/2: a sign of mean v, kept or turned.
    const int64_t absent = value.users[key] - value.plus[key] - value.minus[key];
    const int64_t plus = value.plus[key] + Binomial(absent, 0.5, noise);
    estimates.means[key] =
        MeanOf(Difference(plus, value.users[key], keep_, noise), estimates.frequencies[key],
               static_cast<double>(value.users[key]));
  }
  return estimates;
}

// Of two groups of devices either is asked for every key.
std::optional<double> RapporHarmony::FrequencyVariance(const KeyShare& key) const {
  const double f = key.holders / key.users;
  const double inverse = InverseAsked(key.users / (2 * static_cast<double>(setting().keys)));
  const double coins = keep_ * (1 - keep_) / std::pow(2 * keep_ - 1, 2);
  return inverse * coins + (inverse - 1 / key.users) * f * (1 - f);
}

std::optional<double> RapporHarmony::DifferenceVariance(const KeyShare& key) const {
  const double f = key.holders / key.users, mean_square = key.mean * key.mean;
  const double inverse = InverseAsked(key.users / (2 * static_cast<double>(setting().keys)));
  const double coins = 1 / std::pow(2 * keep_ - 1, 2) - f * mean_square;
  return inverse * coins + (inverse - 1 / key.users) * mean_square * f * (1 - f);
}

// A bit about one of two questions and one of the keys: two reports to each, all equally likely but
// for the bit.
LocalLaw RapporHarmony::law() const {
  return {.epsilon = setting().epsilon, .gamma = 2 * (1 - keep_), .range = 2};
}

std::vector<double> RapporHarmony::ReportLaw(absl::Span<const Pair> record) const {
  std::vector<double> law;
  for (int64_t key = 0; key < setting().keys; ++key) {
    const StateLaw state = AskedStateLaw(record, key);
    for (const double one : {state.plus + state.minus, state.plus + state.absent / 2}) {
      const double said = one * keep_ + (1 - one) * (1 - keep_);
      for (const double probability : {said, 1 - said}) {
        law.push_back(probability / (2 * static_cast<double>(setting().keys)));
      }
    }
  }
  return law;
}

}  // namespace tombola::lab
