// The discrete Fourier transform of a power of two of points, with a bound on its rounding error.
#ifndef TOMBOLA_COMMON_ACCOUNTING_FOURIER_H_
#define TOMBOLA_COMMON_ACCOUNTING_FOURIER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::accounting {

// Real and imaginary parts of as many points.
struct ComplexPoints {
  std::vector<double> real, imaginary;
};

// Radix 2 with twiddle factors that are correct to the last place, which is what the error bound
// was proven for; docs/adr/0012 says why no library does it. Immutable and thread-safe.
class Fourier {
 public:
  // `points`: a power of two, 2 to 2^26.
  explicit Fourier(size_t points);

  size_t points() const { return points_; }

  // *at becomes sum over j of at[j] e^(-+2 pi i j k / points), for Inverse divided by the number of
  // points. Both parts must have points() values.
  void Forward(ComplexPoints* at) const;
  void Inverse(ComplexPoints* at) const;

  // At least |computed - exact| / |exact| in the 2-norm, for either direction.
  double RelativeError() const;

 private:
  void Transform(ComplexPoints* at) const;

  size_t points_;
  int levels_;                         // log2(points_)
  std::vector<double> cosine_, sine_;  // of 2 pi k / points_, k < points_ / 2
};

// *product *= factor^power, point by point, by at most twice as many products as there are uses; as
// many points. power >= 1.
void MultiplyByPower(const ComplexPoints& factor, int64_t power, ComplexPoints* product);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_FOURIER_H_
