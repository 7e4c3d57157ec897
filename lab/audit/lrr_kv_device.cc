#include "lab/audit/lrr_kv_device.h"

#include <algorithm>
#include <cmath>

#include "lab/key_value/lrr_kv.h"

namespace tombola::lab {
namespace {

uint64_t Threshold(double probability) {
  return probability >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(std::ldexp(probability, 64));
}

// Of the records of the trial: which of their two keys the report names, and with which sign.
double Score(const SignedKey& report) {
  if (report.key > 1) return 0;
  const double named = report.plus ? 2 : 1;
  return report.key == 0 ? named : -named;
}

}  // namespace

LrrKvDevice::LrrKvDevice(const Setting& setting) : setting_(setting) {
  const LrrProbabilities law = LrrProbabilitiesOf(setting);
  own_ = Threshold(law.own);
  own_or_opposite_ = Threshold(law.own + law.opposite);
}

Pair LrrKvDevice::PadAndSample(absl::Span<const Pair> record, RandomSource& random) const {
  const uint64_t items = static_cast<uint64_t>(setting_.items);
  // One of a uniform choice of `items` pairs is one of all of them.
  const uint64_t place = UniformBelow(std::max<uint64_t>(items, record.size()), random);
  if (place < record.size()) return record[place];
  const int64_t dummy = setting_.keys + static_cast<int64_t>(UniformBelow(items, random));
  return {static_cast<int32_t>(dummy), 0};
}

SignedKey LrrKvDevice::Report(absl::Span<const Pair> record, RandomSource& random) const {
  const Pair pair = PadAndSample(record, random);
  const bool plus = BernoulliBelow(Threshold((1.0 + pair.value) / 2), random);
  const uint64_t draw = random.Next64();
  if (draw < own_) return {pair.key, plus};
  if (draw < own_or_opposite_) return {pair.key, !plus};
  // Any of the other keys, either sign.
  const uint64_t others = static_cast<uint64_t>(setting_.keys + setting_.items) - 1;
  const int64_t other = static_cast<int64_t>(UniformBelow(others, random));
  return {other + (other >= pair.key ? 1 : 0), UniformBelow(2, random) == 0};
}

absl::StatusOr<cli::Scores> LrrKvTrial::Run(RandomSource& random) {
  const Pair first[] = {{0, 1.0f}}, second[] = {{1, 1.0f}};
  return cli::Scores{Score(device_.Report(first, random)), Score(device_.Report(second, random))};
}

}  // namespace tombola::lab
