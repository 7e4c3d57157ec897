#include "lab/key_value/pckv_grr.h"

#include <cmath>

namespace tombola::lab {
namespace {

double PairEpsilon(const Setting& setting, PairBudget budget) {
  if (budget == PairBudget::kPair) return setting.epsilon;
  return std::log1p(static_cast<double>(setting.items) * std::expm1(setting.epsilon));
}

Ternary GrrTernary(double cells, double pair_epsilon) {
  const double odds = std::exp(pair_epsilon), other = 1 / (odds + cells - 1);
  return {.holder = (odds + 1) * other, .other = 2 * other, .tilt = (odds - 1) * other};
}

}  // namespace

PckvGrr::PckvGrr(const Setting& setting, PairBudget budget)
    : PaddedTernary(setting, GrrTernary(SignedKeys(setting), PairEpsilon(setting, budget))),
      pair_epsilon_(PairEpsilon(setting, budget)) {}

// Every cell has q, and at most a share 1/items of the record's picks adds p - q to it.
LocalLaw PckvGrr::law() const {
  const double items = static_cast<double>(setting().items), cells = SignedKeys(setting());
  return {.epsilon = std::log1p(std::expm1(pair_epsilon_) / items),
          .gamma = cells * ternary().other / 2,
          .range = cells / items};
}

std::vector<double> PckvGrr::ReportLaw(absl::Span<const Pair> record) const {
  std::vector<double> law = PaddedPickLaw(setting(), record);
  for (double& cell : law) cell = ternary().other / 2 + ternary().tilt * cell;
  return law;
}

}  // namespace tombola::lab
