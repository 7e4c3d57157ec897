#include "lab/streams/general_shares.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tombola::lab {
namespace {

constexpr int kMostSteps = 1000000, kStepsBetweenLooks = 50;

}  // namespace

// With a price y_t on the sum over period t, a node that is in c totals and costs a, the sum of its
// periods' prices, is best at (2c/a)^(1/3), or (c/a)^(1/2). Prices are raised where sums exceed 1
// and lowered elsewhere; any prices bound the least error from below.
GeneralShares SolveShares(const stream::Structure& structure, stream::Norm norm) {
  const size_t periods = static_cast<size_t>(structure.periods());
  const bool first = norm == stream::Norm::kL1;
  std::vector<double> totals(periods + 1, 0);
  for (int64_t t = 1; t <= structure.periods(); ++t) {
    for (const int64_t node : structure.Chain(t)) totals[node] += 1;
  }
  std::vector<double> price(periods + 1, 1), share(periods + 1), sum(periods + 1);
  GeneralShares best = {.shares = {.norm = norm, .of_node = std::vector<double>(periods)}};
  for (int step = 0; step < kMostSteps; ++step) {
    double dual = 0;
    std::fill(sum.begin(), sum.end(), 0);
    for (size_t node = 1; node <= periods; ++node) {
      const size_t start = static_cast<size_t>(structure.start(static_cast<int64_t>(node)));
      double cost = 0;
      for (size_t t = start + 1; t <= node; ++t) cost += price[t];
      share[node] = first ? std::cbrt(2 * totals[node] / cost) : std::sqrt(totals[node] / cost);
      dual +=
          first ? 3 * totals[node] / (share[node] * share[node]) : 2 * totals[node] / share[node];
      for (size_t t = start + 1; t <= node; ++t) sum[t] += share[node];
    }
    for (size_t t = 1; t <= periods; ++t) dual -= price[t];
    if (step % kStepsBetweenLooks == 0) {
      const double most = *std::max_element(sum.begin() + 1, sum.end());
      double error = 0;
      for (size_t node = 1; node <= periods; ++node) {
        best.shares.of_node[node - 1] = share[node] / most;
        error += totals[node] * stream::NodeVariance(norm, share[node] / most);
      }
      best.error = error;
      best.bound = dual;
      if (error - dual < kGeneralGap * dual) break;
    }
    for (size_t t = 1; t <= periods; ++t) price[t] *= sum[t] * sum[t];
  }
  return best;
}

}  // namespace tombola::lab
