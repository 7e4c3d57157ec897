#include "lab/sets/asked_bit.h"

#include <cmath>

#include "cli/simulation/distributions.h"
#include "lab/key_value/ternary.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;

class AskedBit final : public Method {
 public:
  explicit AskedBit(const Setting& setting)
      : keys_(setting.keys), keep_(1 / (1 + std::exp(-setting.epsilon))) {}

  double keep() const { return keep_; }
  int64_t items() const override { return keys_; }

  Estimates Run(Trial& trial, simulation::Generator& noise) const override {
    const Asked& asked = trial.asked(1).front();
    Estimates estimates;
    for (size_t key = 0; key < asked.users.size(); ++key) {
      const int64_t users = asked.users[key], holders = asked.plus[key] + asked.minus[key];
      const int64_t yes =
          Binomial(holders, keep_, noise) + Binomial(users - holders, 1 - keep_, noise);
      const double share =
          users == 0 ? 1 - keep_ : static_cast<double>(yes) / static_cast<double>(users);
      estimates.frequencies.push_back((share - (1 - keep_)) / (2 * keep_ - 1));
    }
    return estimates;
  }

  std::optional<double> FrequencyVariance(const KeyShare& key) const override {
    const double f = key.holders / key.users;
    const double inverse = InverseAsked(key.users / static_cast<double>(keys_));
    const double coins = keep_ * (1 - keep_) / std::pow(2 * keep_ - 1, 2);
    return inverse * coins + (inverse - 1 / key.users) * f * (1 - f);
  }

  std::optional<double> DifferenceVariance(const KeyShare&) const override { return std::nullopt; }

 private:
  int64_t keys_;
  double keep_;
};

}  // namespace

SetMethod AskedSetBit(const Setting& setting) {
  auto method = std::make_unique<AskedBit>(setting);
  const LocalLaw law = {.epsilon = setting.epsilon, .gamma = 2 * (1 - method->keep()), .range = 2};
  return {std::move(method), law};
}

}  // namespace tombola::lab
