#include "lab/strings/squarem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace tombola::lab {
namespace {

using Law = std::vector<double>;

double Farthest(const Law& a, const Law& b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Of two steps from `law`, with the differences r = first - law and v = second - 2 first + law:
// law - 2 a r + a^2 v for a = -|r| / |v|, at most -1. Where a share would be negative, or nothing
// is to be extrapolated, the second step itself.
Law Extrapolated(const Law& law, const Law& first, const Law& second) {
  double r_square = 0;
  double v_square = 0;
  for (size_t i = 0; i < law.size(); ++i) {
    const double r = first[i] - law[i];
    const double v = second[i] - 2 * first[i] + law[i];
    r_square += r * r;
    v_square += v * v;
  }
  if (v_square == 0) return second;
  const double a = std::min(-1.0, -std::sqrt(r_square / v_square));
  Law far(law.size());
  for (size_t i = 0; i < law.size(); ++i) {
    const double r = first[i] - law[i];
    const double v = second[i] - 2 * first[i] + law[i];
    far[i] = law[i] - 2 * a * r + a * a * v;
    if (far[i] <= 0) return second;
  }
  return far;
}

}  // namespace

FittedLaw FitLaw(const Fitted& fitted, std::vector<double> start, Steps steps, double tolerance,
                 int64_t most_steps) {
  FittedLaw fit{.law = std::move(start)};
  double reached = fitted.log_likelihood(fit.law);
  while (fit.steps < most_steps) {
    const Law first = fitted.step(fit.law);
    ++fit.steps;
    const bool settled = Farthest(first, fit.law) <= tolerance;
    if (settled || steps == Steps::kPlain) {
      fit.law = first;
      if (settled) break;
      continue;
    }
    const Law second = fitted.step(first);
    const Law far = Extrapolated(fit.law, first, second);
    // A plain step after it puts back what was extrapolated too far.
    Law next = fitted.step(far);
    fit.steps += 2;
    double likelihood = fitted.log_likelihood(next);
    if (!(likelihood >= reached)) {
      next = second;
      likelihood = fitted.log_likelihood(next);
    }
    reached = likelihood;
    fit.law = std::move(next);
  }
  fit.log_likelihood = fitted.log_likelihood(fit.law);
  return fit;
}

}  // namespace tombola::lab
