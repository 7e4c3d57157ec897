#include "common/stream/laplace_release.h"

#include <cstddef>
#include <cstdlib>
#include <utility>

#include "common/base/check.h"
#include "common/random/discrete_noise.h"

namespace tombola::stream {
namespace {

double VarianceOfRate(uint64_t units) {
  return DiscreteLaplaceVariance(static_cast<double>(units) / static_cast<double>(kRateUnits));
}

}  // namespace

NoisyTotal LaplaceRelease::Next(int64_t increment) {
  sum_ += increment;
  noise_ = NextNoise();
  return {sum_ + noise_.value, noise_.variance};
}

void LaplaceRelease::Save(std::string& out) const {
  PutNumber(sum_, out);
  PutNumber(noise_.value, out);
}

absl::Status LaplaceRelease::Load(int64_t periods, Decoder& saved) {
  sum_ = saved.Number<int64_t>();
  const auto noise = saved.Number<int64_t>();
  for (int64_t t = 0; t < periods; ++t) noise_ = NextNoise();
  if (saved.ok() && noise_.value == noise) return absl::OkStatus();
  return absl::FailedPreconditionError("the noise drawn again is not the noise there was");
}

TreeRelease::TreeRelease(std::shared_ptr<const Design> design, RandomSource* random)
    : design_(std::move(design)), random_(random), rates_(*design_), chain_(*design_->structure) {}

LaplaceRelease::Noise TreeRelease::NextNoise() {
  TOMBOLA_CHECK(t_ < design_->periods);
  const uint64_t units = rates_.Of(++t_);
  if (units != units_) variance_ = VarianceOfRate(units);
  units_ = units;
  return chain_.Next({DrawDiscreteLaplace(units, *random_), variance_});
}

KAryRelease::KAryRelease(std::shared_ptr<const Design> design, RandomSource* random)
    : design_(std::move(design)), random_(random) {
  int64_t power = 1;
  for (const uint64_t units : design_->level_rates) {
    levels_.push_back({.units = units, .variance = VarianceOfRate(units)});
    power *= design_->k_ary.k;
  }
  // At t = 0 all digits are 0.
  offset_ = (power - 1) / 2;
  int64_t rest = offset_;
  for (Level& level : levels_) level.window = rest /= design_->k_ary.k;
}

LaplaceRelease::Noise KAryRelease::NextNoise() {
  TOMBOLA_CHECK(t_ < design_->periods);
  const int64_t k = design_->k_ary.k;
  int64_t rest = ++t_ + offset_;
  Noise noise;
  for (Level& level : levels_) {
    const int64_t digit = rest % k - (k - 1) / 2;
    rest /= k;
    MoveTo(rest, digit, level);
    noise += {level.sum, static_cast<double>(std::abs(digit)) * level.variance};
  }
  return noise;
}

// Digits go up by one, and start again from the least in the next window.
void KAryRelease::MoveTo(int64_t window, int64_t digit, Level& level) {
  const int64_t most = (design_->k_ary.k - 1) / 2;
  if (level.window != window) {
    level.window = window;
    level.digit = -most;
    level.sum = 0;
    level.ahead.clear();
    for (int64_t i = 0; i < most; ++i) {
      level.ahead.push_back(DrawDiscreteLaplace(level.units, *random_));
      level.sum -= level.ahead.back();
    }
  }
  for (; level.digit < digit; ++level.digit) {
    if (level.digit < 0) {
      level.sum += level.ahead[static_cast<size_t>(most + level.digit)];
    } else {
      level.sum += DrawDiscreteLaplace(level.units, *random_);
    }
  }
  TOMBOLA_CHECK(level.digit == digit);
}

}  // namespace tombola::stream
