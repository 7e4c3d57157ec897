#include "common/accounting/gaussian.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/blanket.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kLargestEpsilon = 700;
constexpr int kHalvings = 100;

double NormalCdf(double x) { return std::erfc(-x * M_SQRT1_2) / 2; }

}  // namespace

double GaussianDelta(double theta, double epsilon) {
  const double near = NormalCdf(theta / 2 - epsilon / theta);
  if (epsilon > kLargestEpsilon) return near;
  const double far = NormalCdf(-theta / 2 - epsilon / theta);
  return std::max(0.0, near - std::exp(epsilon) * far);
}

absl::StatusOr<double> GaussianTheta(double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  double low = -50;  // in ln theta
  double high = 10;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (GaussianDelta(std::exp(middle), epsilon) <= delta ? low : high) = middle;
  }
  return std::exp(low);
}

double GaussianEpsilon(double theta, double delta) {
  double low = 0;
  double high = kLargestEpsilon;
  if (GaussianDelta(theta, low) <= delta) return low;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (GaussianDelta(theta, middle) <= delta ? high : low) = middle;
  }
  return high;
}

}  // namespace tombola::accounting
