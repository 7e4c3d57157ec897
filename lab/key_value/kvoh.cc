#include "lab/key_value/kvoh.h"

#include <cmath>

#include "cli/simulation/distributions.h"
#include "lab/key_value/ternary.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

constexpr double kOwn = 0.5;

}  // namespace

Kvoh::Kvoh(const Setting& setting)
    : LocalMethod(setting), other_(1 / (std::exp(setting.epsilon) + 1)) {}

// Bits are independent given the states.
double Kvoh::StateShare(int64_t held, int64_t users, Generator& noise) const {
  const int64_t set = Binomial(held, kOwn, noise) + Binomial(users - held, other_, noise);
  return (static_cast<double>(set) / static_cast<double>(users) - other_) / (kOwn - other_);
}

Estimates Kvoh::Run(Trial& trial, Generator& noise) const {
  const Asked& asked = trial.asked(1).front();
  Estimates estimates = {.frequencies = std::vector<double>(asked.users.size(), 0),
                         .means = std::vector<double>(asked.users.size(), 0)};
  for (size_t key = 0; key < asked.users.size(); ++key) {
    const int64_t users = asked.users[key];
    if (users == 0) continue;
    const double plus = StateShare(asked.plus[key], users, noise);
    const double minus = StateShare(asked.minus[key], users, noise);
    const double absent = StateShare(users - asked.plus[key] - asked.minus[key], users, noise);
    estimates.frequencies[key] = (plus + minus + 2 * (1 - absent)) / 3;
    estimates.means[key] =
        MeanOf(plus - minus, estimates.frequencies[key], static_cast<double>(users));
  }
  return estimates;
}

// Of one device's coins for a state that this share of the devices has.
double Kvoh::BitVariance(double share) const {
  return (share * kOwn * (1 - kOwn) + (1 - share) * other_ * (1 - other_)) /
         ((kOwn - other_) * (kOwn - other_));
}

std::optional<double> Kvoh::FrequencyVariance(const KeyShare& key) const {
  const double f = key.holders / key.users;
  const double inverse = InverseAsked(key.users / static_cast<double>(setting().keys));
  const double coins = (BitVariance(f * (1 + key.mean) / 2) + BitVariance(f * (1 - key.mean) / 2) +
                        4 * BitVariance(1 - f)) /
                       9;
  return inverse * coins + (inverse - 1 / key.users) * f * (1 - f);
}

std::optional<double> Kvoh::DifferenceVariance(const KeyShare& key) const {
  const double f = key.holders / key.users, mean_square = key.mean * key.mean;
  const double inverse = InverseAsked(key.users / static_cast<double>(setting().keys));
  const double coins = BitVariance(f * (1 + key.mean) / 2) + BitVariance(f * (1 - key.mean) / 2);
  // The sign is drawn anew by who was asked, so its coin is not among the devices' fixed values.
  const double signs = f * (1 - mean_square);
  return inverse * (coins + signs) + (inverse - 1 / key.users) * mean_square * f * (1 - f);
}

std::vector<double> Kvoh::ReportLaw(absl::Span<const Pair> record) const {
  std::vector<double> law;
  for (int64_t key = 0; key < setting().keys; ++key) {
    const StateLaw state = AskedStateLaw(record, key);
    const double probability[3] = {state.plus, state.minus, state.absent};
    for (int bits = 0; bits < 8; ++bits) {
      double sum = 0;
      for (int own = 0; own < 3; ++own) {
        double given = probability[own];
        for (int bit = 0; bit < 3; ++bit) {
          const double set = bit == own ? kOwn : other_;
          given *= (bits >> bit & 1) != 0 ? set : 1 - set;
        }
        sum += given;
      }
      law.push_back(sum / static_cast<double>(setting().keys));
    }
  }
  return law;
}

}  // namespace tombola::lab
