#include "lab/key_value/priv_kv.h"

#include <algorithm>
#include <cmath>

namespace tombola::lab {
namespace {

double KeepOf(double epsilon) { return 1 / (1 + std::exp(-epsilon / 2)); }

Ternary PrivTernary(double keep) {
  return {.holder = keep, .other = 1 - keep, .tilt = keep * (2 * keep - 1)};
}

}  // namespace

PrivKv::PrivKv(const Setting& setting, PrivKvMean mean)
    : AskedTernary(setting, PrivTernary(KeepOf(setting.epsilon))),
      keep_(KeepOf(setting.epsilon)),
      mean_(mean) {}

LocalLaw PrivKv::law() const { return {.epsilon = setting().epsilon / 2 + std::log(2 * keep_)}; }

std::vector<double> PrivKv::ReportLaw(absl::Span<const Pair> record) const {
  std::vector<double> law;
  for (int64_t key = 0; key < setting().keys; ++key) {
    const StateLaw state = AskedStateLaw(record, key);
    const double pretended = state.absent * (1 - keep_) / 2;
    const double plus = keep_ * (state.plus * keep_ + state.minus * (1 - keep_)) + pretended;
    const double minus = keep_ * (state.minus * keep_ + state.plus * (1 - keep_)) + pretended;
    for (const double probability : {plus, minus, 1 - plus - minus}) {
      law.push_back(probability / static_cast<double>(setting().keys));
    }
  }
  return law;
}

double PrivKv::MeanShrinkage(double frequency) const {
  return frequency * keep_ / (frequency * keep_ + (1 - frequency) * (1 - keep_));
}

double PrivKv::Mean(const Tally& tally) const {
  if (mean_ == PrivKvMean::kUnbiased) {
    return MeanOf(DifferenceOf(ternary(), 1, tally), FrequencyOf(ternary(), 1, tally),
                  static_cast<double>(tally.reports));
  }
  const double said = static_cast<double>(std::max<int64_t>(1, tally.plus + tally.minus));
  return std::clamp(static_cast<double>(tally.plus - tally.minus) / ((2 * keep_ - 1) * said), -1.0,
                    1.0);
}

}  // namespace tombola::lab
