#include "lab/key_value/lrr_kv.h"

#include <cmath>

namespace tombola::lab {
namespace {

// p1 - q1 as one quotient: the difference of the two would lose most digits.
Ternary LrrTernary(const Setting& setting) {
  const LrrProbabilities law = LrrProbabilitiesOf(setting);
  const double odds = std::exp(setting.epsilon), cells = SignedKeys(setting);
  return {.holder = law.own + law.opposite,
          .other = 2 * law.other,
          .tilt = odds * std::expm1(setting.epsilon) / ((odds + cells - 1) * (odds + cells - 2))};
}

}  // namespace

LrrProbabilities LrrProbabilitiesOf(const Setting& setting) {
  const double odds = std::exp(setting.epsilon), cells = SignedKeys(setting);
  const double other = (cells - 1) / ((odds + cells - 1) * (odds + cells - 2));
  return {.own = odds / (odds + cells - 1), .opposite = odds * other, .other = other};
}

LrrKv::LrrKv(const Setting& setting)
    : PaddedTernary(setting, LrrTernary(setting)), probabilities_(LrrProbabilitiesOf(setting)) {}

double LrrKv::pair_epsilon() const {
  return setting().epsilon +
         std::log1p(std::expm1(setting().epsilon) / (SignedKeys(setting()) - 1));
}

LocalLaw LrrKv::law() const {
  const double items = static_cast<double>(setting().items), cells = SignedKeys(setting());
  const double gamma = cells * probabilities_.other;
  const double added = cells * (probabilities_.own - probabilities_.other) / items;
  return {.epsilon = std::log1p(std::expm1(pair_epsilon()) / items),
          .gamma = gamma,
          .range = added / (1 - gamma)};
}

std::vector<double> LrrKv::ReportLaw(absl::Span<const Pair> record) const {
  const std::vector<double> picks = PaddedPickLaw(setting(), record);
  std::vector<double> law(picks.size(), 0);
  for (size_t cell = 0; cell < law.size(); ++cell) {
    law[cell] = probabilities_.other + (probabilities_.own - probabilities_.other) * picks[cell] +
                (probabilities_.opposite - probabilities_.other) * picks[cell ^ 1];
  }
  return law;
}

}  // namespace tombola::lab
