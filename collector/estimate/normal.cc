#include "collector/estimate/normal.h"

#include <cmath>
#include <numbers>

#include "common/base/check.h"

namespace tombola::collector {

double NormalTail(double z) { return std::erfc(z / std::numbers::sqrt2) / 2; }

double NormalTailQuantile(double tail) {
  TOMBOLA_CHECK(tail >= 1e-300 && tail < 1);
  if (tail > 0.5) return -NormalTailQuantile(1 - tail);
  // Abramowitz and Stegun 26.2.23, good to 4.5e-4; each step of Halley's method triples the digits.
  const double t = std::sqrt(-2 * std::log(tail));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 3; ++i) {
    const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double newton = (NormalTail(z) - tail) / density;
    z += newton / (1 - z * newton / 2);
  }
  return z;
}

}  // namespace tombola::collector
