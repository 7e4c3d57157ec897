#include "collector/quality/chernoff.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tombola::collector {
namespace {

using mechanism::MessageLaw;

// a ln(a / b), which is 0 for a = 0 and infinite for b = 0 < a.
double Term(double a, double b) {
  if (a <= 0) return 0;
  return b > 0 ? a * std::log(a / b) : std::numeric_limits<double>::infinity();
}

double Divergence(double trials, double mean, double x) {
  return std::max(0.0, Term(x, mean) + Term(trials - x, trials - mean));
}

double Surprise(const MessageLaw& law, int64_t submissions, int64_t noise, double largest) {
  const double n = static_cast<double>(submissions);
  return Chernoff([&](double t) { return n * law.LogMgf(t); }, static_cast<double>(noise), largest);
}

}  // namespace

double IndicatorsAbove(double trials, double mean, double x) {
  return x > mean ? Divergence(trials, mean, x) : 0;
}

double IndicatorsBelow(double trials, double mean, double x) {
  return x < mean ? Divergence(trials, mean, x) : 0;
}

double Bernstein(double variance, double most, double excess) {
  return excess > 0 ? excess * excess / (2 * (variance + most * excess / 3)) : 0;
}

// Golden section: the function is concave in t.
double Chernoff(absl::FunctionRef<double(double)> log_mgf, double x, double largest) {
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSteps = 120;
  double from = 0, to = largest, best = 0;
  const auto value = [&](double t) {
    const double found = t * x - log_mgf(t);
    if (std::isfinite(found)) best = std::max(best, found);
    return std::isnan(found) ? -std::numeric_limits<double>::infinity() : found;
  };
  double left = to - kGolden * (to - from), right = from + kGolden * (to - from);
  double at_left = value(left), at_right = value(right);
  for (int step = 0; step < kSteps; ++step) {
    if (at_left >= at_right) {
      to = right;
      right = left;
      at_right = at_left;
      left = to - kGolden * (to - from);
      at_left = value(left);
    } else {
      from = left;
      left = right;
      at_left = at_right;
      right = from + kGolden * (to - from);
      at_right = value(right);
    }
  }
  return best;
}

double NoiseAbove(const MessageLaw& law, int64_t submissions, int64_t noise) {
  return Surprise(law, submissions, noise, law.Largest());
}

// Fewer than the uncapped law gives come also about by a cap.
double NoiseBelow(const MessageLaw& law, int64_t submissions, int64_t noise) {
  const double uncapped = std::exp(-Surprise(law, submissions, noise, -MessageLaw::kLargestT));
  const double capped = static_cast<double>(submissions) * law.Capped();
  return std::fmax(0, -std::log(uncapped + capped));
}

}  // namespace tombola::collector
