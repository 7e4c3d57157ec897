#include "collector/estimate/difference_tail.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "collector/estimate/normal.h"
#include "common/base/check.h"

namespace tombola::collector {

double ChernoffBound(const Difference& difference, double log_tail) {
  TOMBOLA_CHECK(difference.shape > 0 && difference.success > 0 && difference.success < 1);
  const double a = -std::log(difference.success);
  const double limit = std::sinh(a / 2);
  // Every t gives a bound, (ln E[e^(t X)] + log_tail) / t. Written for w > 0 with
  // sinh(t/2) = limit sqrt(w / (1 + w)), which makes ln E[e^(t X)] = shape ln(1 + w).
  const auto half_t_sinh = [&](double w) { return limit * std::sqrt(w / (1 + w)); };
  // The best t is where excess = t (ln E)' - ln E is log_tail. It grows with w, and
  // shape w <= excess <= shape (2 + a) w.
  const double scaled = log_tail / difference.shape;
  double low = scaled / (2 + a);
  double high = scaled;
  for (int i = 0; i < 20; ++i) {
    const double w = (low + high) / 2;
    const double x = half_t_sinh(w);
    const double slope_term = 2 * std::asinh(x) * x * std::sqrt(1 + x * x) * (1 + w);
    const double excess = slope_term / (limit * limit) - std::log1p(w);
    (excess < scaled ? low : high) = w;
  }
  return (difference.shape * std::log1p(low) + log_tail) / (2 * std::asinh(half_t_sinh(low)));
}

double UpperQuantile(const Difference& difference, double tail) {
  const double a = -std::log(difference.success);
  const double chernoff = ChernoffBound(difference, -std::log(tail));
  if (difference.shape < 1) return chernoff;
  const double root = std::sqrt(difference.shape);
  const double laplace = root * -std::log(2 * tail) / a;
  const double deviation = root / (std::numbers::sqrt2 * std::sinh(a / 2));
  return std::max(NormalTailQuantile(tail) * deviation, std::min(laplace, chernoff));
}

}  // namespace tombola::collector
