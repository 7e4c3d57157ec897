#include "common/accounting/saddle_point.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace tombola::accounting {
namespace {

double StirlingSeries(double x) {
  const double y = 1 / (x * x);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - y / 1188) * y) * y) * y) / x;
}

}  // namespace

double StirlingError(double x) {
  static constexpr std::array<double, 16> kSmall = {
      0,
      0.08106146679532725822,
      0.041340695955409294094,
      0.027677925684998339149,
      0.020790672103765093112,
      0.016644691189821192163,
      0.013876128823070747999,
      0.011896709945891770095,
      0.010411265261972096497,
      0.0092554621827127329177,
      0.0083305634333628712565,
      0.007573675487951840795,
      0.0069428401072095298657,
      0.0064089941880042070684,
      0.0059513701127588477356,
      0.005554733551962801371,
  };
  if (x >= static_cast<double>(kSmall.size())) return StirlingSeries(x);
  const auto whole = static_cast<size_t>(x);
  if (x == static_cast<double>(whole)) return kSmall[whole];
  // StirlingError(x) - StirlingError(x + 1) = (x + 1/2) ln(1 + 1/x) - 1, from Gamma(x + 1) = x
  // Gamma(x).
  double sum = 0;
  for (; x < static_cast<double>(kSmall.size()); x += 1) sum += (x + 0.5) * std::log1p(1 / x) - 1;
  return sum + StirlingSeries(x);
}

double Deviance(double x, double trials, double share) {
  const double mean = trials * share;
  const double rounded_off = std::fma(trials, share, -mean);
  const double carried = rounded_off * (mean - x) / mean;
  const double difference = x - mean;
  if (std::abs(difference) >= 0.1 * (x + mean))
    return x * std::log(x / mean) - difference + carried;
  const double v = difference / (x + mean);
  double sum = difference * v;
  double power = 2 * x * v;
  for (int odd = 3;; odd += 2) {
    power *= v * v;
    const double next = sum + power / odd;
    if (next == sum) return next + carried;
    sum = next;
  }
}

}  // namespace tombola::accounting
