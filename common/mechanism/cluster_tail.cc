#include "common/mechanism/cluster_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tombola::mechanism {
namespace {

// Every t gives a bound; that the best one is found matters for tightness only.
constexpr int kSteps = 80;
// How close t may come to where the generating function ends.
constexpr double kShareOfRange = 1 - 1e-6;
// Far more than the exponent's rounding errors.
constexpr double kRoundUp = 1 + 1e-6;

double LogBound(absl::Span<const Clusters> clusters, int64_t most, double t) {
  double exponent = -t * (static_cast<double>(most) + 1);
  for (const Clusters& each : clusters) {
    const double tilted = std::log(-std::expm1(each.sizes.log_p + t * each.weight));
    exponent += each.rate * (tilted / each.sizes.log_rest - 1);
  }
  return exponent;
}

}  // namespace

LogarithmicSuccess LogarithmicSuccess::Of(uint64_t success) {
  LogarithmicSuccess made;
  made.p = std::ldexp(static_cast<double>(success), -64);
  made.rest = std::ldexp(static_cast<double>(-success), -64);
  const bool small = made.p < 0.5;
  made.log_p = small ? std::log(made.p) : std::log1p(-made.rest);
  made.log_rest = small ? std::log1p(-made.p) : std::log(made.rest);
  return made;
}

// The exponent is convex in t: golden-section search.
double ClusterTail(absl::Span<const Clusters> clusters, int64_t most) {
  double end = std::numeric_limits<double>::infinity();
  for (const Clusters& each : clusters) end = std::min(end, -each.sizes.log_p / each.weight);
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = 0;
  double high = end * kShareOfRange;
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = LogBound(clusters, most, left);
  double at_right = LogBound(clusters, most, right);
  for (int i = 0; i < kSteps; ++i) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = LogBound(clusters, most, left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = LogBound(clusters, most, right);
    }
  }
  return std::min(
      1.0, std::exp(std::min(at_left, at_right)) * kRoundUp + std::numeric_limits<double>::min());
}

}  // namespace tombola::mechanism
