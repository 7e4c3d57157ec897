#include "common/accounting/fourier.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/check.h"

namespace tombola::accounting {
namespace {

constexpr long double kTwoPi = 6.283185307179586476925286766559005768L;
constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

// The cosine and sine of 2 pi k / n for k <= n / 8, from an angle that is small enough for the last
// place to be right.
std::pair<double, double> OfOctant(size_t k, size_t n) {
  const long double angle = kTwoPi * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

// The same for k < n / 2, folded by whole numbers.
std::pair<double, double> Twiddle(size_t k, size_t n) {
  if (4 * k > n) {
    const auto [cosine, sine] = Twiddle(n / 2 - k, n);
    return {-cosine, sine};
  }
  if (8 * k > n) {
    const auto [cosine, sine] = OfOctant(n / 4 - k, n);
    return {sine, cosine};
  }
  return OfOctant(k, n);
}

}  // namespace

Fourier::Fourier(size_t points) : points_(points), levels_(std::countr_zero(points)) {
  TOMBOLA_CHECK(std::has_single_bit(points) && points >= 2 && points <= (size_t{1} << 26));
  cosine_.reserve(points / 2);
  sine_.reserve(points / 2);
  for (size_t k = 0; k < points / 2; ++k) {
    const auto [cosine, sine] = Twiddle(k, points);
    cosine_.push_back(cosine);
    sine_.push_back(sine);
  }
}

// Higham, "Accuracy and stability of numerical algorithms" (2002), Theorem 24.2: log2(n) eta /
// (1 - log2(n) eta) with eta = mu + gamma_4 (sqrt 2 + mu), mu being the twiddles' error, here one
// unit. That is below 7 units a level; the division by a power of two is exact.
double Fourier::RelativeError() const { return 7 * kUnit * static_cast<double>(levels_); }

void Fourier::Forward(ComplexPoints* at) const { Transform(at); }

// The inverse is the transform with both parts exchanged, before and after.
void Fourier::Inverse(ComplexPoints* at) const {
  std::swap(at->real, at->imaginary);
  Transform(at);
  std::swap(at->real, at->imaginary);
  const double scale = 1 / static_cast<double>(points_);
  for (double& value : at->real) value *= scale;
  for (double& value : at->imaginary) value *= scale;
}

// Cooley and Tukey, decimation in time: the points in bit-reversed order, then a level of
// butterflies for each doubling.
void Fourier::Transform(ComplexPoints* at) const {
  TOMBOLA_CHECK(at->real.size() == points_ && at->imaginary.size() == points_);
  double* const real = at->real.data();
  double* const imaginary = at->imaginary.data();
  for (size_t i = 1, reversed = 0; i < points_; ++i) {
    size_t bit = points_ >> 1;
    for (; (reversed & bit) != 0; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) {
      std::swap(real[i], real[reversed]);
      std::swap(imaginary[i], imaginary[reversed]);
    }
  }
  for (size_t half = 1; half < points_; half *= 2) {
    const size_t stride = points_ / (2 * half);
    for (size_t block = 0; block < points_; block += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        const double cosine = cosine_[k * stride];
        const double sine = sine_[k * stride];
        const size_t low = block + k;
        const size_t high = low + half;
        const double turned = cosine * real[high] + sine * imaginary[high];
        const double turned_imaginary = cosine * imaginary[high] - sine * real[high];
        real[high] = real[low] - turned;
        imaginary[high] = imaginary[low] - turned_imaginary;
        real[low] += turned;
        imaginary[low] += turned_imaginary;
      }
    }
  }
}

void MultiplyByPower(const ComplexPoints& factor, int64_t power, ComplexPoints* product) {
  for (size_t i = 0; i < factor.real.size(); ++i) {
    double base = factor.real[i];
    double base_imaginary = factor.imaginary[i];
    double real = product->real[i];
    double imaginary = product->imaginary[i];
    for (int64_t left = power; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        const double kept = real * base - imaginary * base_imaginary;
        imaginary = real * base_imaginary + imaginary * base;
        real = kept;
      }
      const double square = base * base - base_imaginary * base_imaginary;
      base_imaginary = 2 * base * base_imaginary;
      base = square;
    }
    product->real[i] = real;
    product->imaginary[i] = imaginary;
  }
}

}  // namespace tombola::accounting
