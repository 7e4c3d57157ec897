#include "common/stream/gaussian_release.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "common/base/check.h"
#include "common/random/discrete_noise.h"
#include "common/stream/laplace_release.h"

namespace tombola::stream {
namespace {

constexpr double kVarianceOfWholeNumbers = 1.0 / 12;

absl::Status OtherNoise() {
  return absl::FailedPreconditionError("the noise drawn again is not the noise there was");
}

double VarianceOf(const Design& design, double squares) {
  return std::ldexp(static_cast<double>(design.noise_variance), -2 * design.grid_bits) * squares +
         kVarianceOfWholeNumbers;
}

int64_t WholeNumber(double steps, int grid_bits) {
  return std::llround(std::ldexp(steps, -grid_bits));
}

// numerator / 2^bits, rounded down.
__int128 Shifted(__int128 numerator, int bits) { return numerator >> bits; }

}  // namespace

SquareRootRelease::SquareRootRelease(std::shared_ptr<const Design> design, RandomSource* random)
    : design_(std::move(design)), random_(random), totals_column_(TotalsColumn(design_->column)) {}

NoisyTotal SquareRootRelease::Next(int64_t increment) {
  const size_t t = increments_.size();
  TOMBOLA_CHECK(static_cast<int64_t>(t) < design_->periods);
  increments_.push_back(increment);
  // At most 2^14 products below 2^44.
  int64_t exact = 0;
  for (size_t k = 0; k <= t; ++k) exact += design_->column[k] * increments_[t - k];
  noisy_.push_back(
      static_cast<double>(exact + DrawDiscreteGaussian(design_->noise_variance, *random_)));
  double total = 0;
  for (size_t k = 0; k <= t; ++k) total += totals_column_[k] * noisy_[t - k];
  squares_ += totals_column_[t] * totals_column_[t];
  last_ = WholeNumber(total, design_->grid_bits);
  return {last_, VarianceOf(*design_, squares_)};
}

void SquareRootRelease::Save(std::string& out) const {
  PutNumber(last_, out);
  PutNumbers(increments_, out);
}

absl::Status SquareRootRelease::Load(int64_t periods, Decoder& saved) {
  const auto last = saved.Number<int64_t>();
  const std::vector<int64_t> increments = saved.Numbers<int64_t>(static_cast<size_t>(periods));
  if (!saved.ok()) return OtherNoise();
  for (const int64_t increment : increments) {
    if (increment < 0 || increment > kLargestIncrement) return OtherNoise();
    Next(increment);
  }
  return last_ == last ? absl::OkStatus() : OtherNoise();
}

BltRelease::BltRelease(std::shared_ptr<const Design> design, RandomSource* random)
    : design_(std::move(design)), random_(random), walk_(TotalsOf(design_->blt)) {
  for (size_t i = 0; i < design_->blt.theta.size(); ++i) {
    buffers_.push_back({.theta = std::llround(std::ldexp(design_->blt.theta[i], kBltBits)),
                        .omega = std::llround(std::ldexp(design_->blt.omega[i], kBltBits))});
  }
}

// Sums of 2^20 increments are below 2^52, so nothing exceeds 2^(52 + 1 + 70).
NoisyTotal BltRelease::Next(int64_t increment) {
  __int128 remembered = 0;
  for (Buffer& buffer : buffers_) {
    remembered += buffer.increments * buffer.omega;
    buffer.increments = Shifted(buffer.increments * buffer.theta, kBltBits) +
                        (static_cast<__int128>(increment) << kBltFraction);
  }
  const int grid = design_->grid_bits;
  const __int128 exact = (static_cast<__int128>(increment) << grid) +
                         Shifted(remembered, kBltBits + kBltFraction - grid);
  // From here on nothing but y.
  double step = static_cast<double>(exact + Draw());
  for (const Buffer& buffer : buffers_) {
    step -= std::ldexp(static_cast<double>(buffer.omega), -kBltBits) * buffer.noisy;
  }
  for (Buffer& buffer : buffers_) {
    buffer.noisy = std::ldexp(static_cast<double>(buffer.theta), -kBltBits) * buffer.noisy + step;
  }
  total_ += step;
  return {WholeNumber(total_, grid), VarianceOf(*design_, squares_)};
}

int64_t BltRelease::Draw() {
  const double b = walk_.Next();
  squares_ += b * b;
  noise_ = DrawDiscreteGaussian(design_->noise_variance, *random_);
  return noise_;
}

void BltRelease::Save(std::string& out) const {
  PutNumber(noise_, out);
  PutNumber(std::bit_cast<uint64_t>(total_), out);
  for (const Buffer& buffer : buffers_) {
    PutNumber(static_cast<uint64_t>(buffer.increments), out);
    PutNumber(static_cast<int64_t>(buffer.increments >> 64), out);
    PutNumber(std::bit_cast<uint64_t>(buffer.noisy), out);
  }
}

absl::Status BltRelease::Load(int64_t periods, Decoder& saved) {
  const auto noise = saved.Number<int64_t>();
  total_ = std::bit_cast<double>(saved.Number<uint64_t>());
  for (Buffer& buffer : buffers_) {
    const auto low = saved.Number<uint64_t>();
    buffer.increments = (static_cast<__int128>(saved.Number<int64_t>()) << 64) | low;
    buffer.noisy = std::bit_cast<double>(saved.Number<uint64_t>());
  }
  if (!saved.ok()) return OtherNoise();
  for (int64_t t = 0; t < periods; ++t) Draw();
  return noise_ == noise ? absl::OkStatus() : OtherNoise();
}

}  // namespace tombola::stream
