#include "lab/key_value/ldpkv.h"

#include <cmath>

namespace tombola::lab {
namespace {

Ternary StateTernary(double epsilon) {
  const double odds = std::exp(epsilon);
  return {
      .holder = (odds + 1) / (odds + 2), .other = 2 / (odds + 2), .tilt = (odds - 1) / (odds + 2)};
}

}  // namespace

Ldpkv::Ldpkv(const Setting& setting) : AskedTernary(setting, StateTernary(setting.epsilon)) {}

LocalLaw Ldpkv::law() const {
  return {.epsilon = setting().epsilon, .gamma = 1.5 * ternary().other, .range = 3};
}

std::vector<double> Ldpkv::ReportLaw(absl::Span<const Pair> record) const {
  std::vector<double> law;
  for (int64_t key = 0; key < setting().keys; ++key) {
    const StateLaw state = AskedStateLaw(record, key);
    for (const double probability : {state.plus, state.minus, state.absent}) {
      law.push_back((ternary().other / 2 + ternary().tilt * probability) /
                    static_cast<double>(setting().keys));
    }
  }
  return law;
}

}  // namespace tombola::lab
