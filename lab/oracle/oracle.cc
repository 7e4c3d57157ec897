#include "lab/oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/simulation/distributions.h"

namespace tombola::lab {

using simulation::Binomial;

double Oracle::Variance(double share, double users) const {
  return (share * holder * (1 - holder) + (1 - share) * other * (1 - other)) /
         (users * (holder - other) * (holder - other));
}

Oracle Grr(double domain, double epsilon) {
  const double odds = std::exp(epsilon);
  return {.holder = odds / (odds + domain - 1), .other = 1 / (odds + domain - 1)};
}

Oracle Oue(double epsilon) { return {.holder = 0.5, .other = 1 / (std::exp(epsilon) + 1)}; }

Oracle Sue(double epsilon) {
  const double odds = std::exp(epsilon / 2);
  return {.holder = odds / (odds + 1), .other = 1 / (odds + 1)};
}

int64_t OlhRange(double epsilon) {
  return std::max<int64_t>(2, std::llround(std::exp(epsilon) + 1));
}

Oracle Olh(double epsilon) {
  const double range = static_cast<double>(OlhRange(epsilon));
  return {.holder = Grr(range, epsilon).holder, .other = 1 / range};
}

std::vector<double> EstimateShares(const Oracle& oracle, absl::Span<const int64_t> counts,
                                   simulation::Generator& noise) {
  const int64_t users = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  std::vector<double> shares;
  for (const int64_t count : counts) {
    const int64_t support =
        Binomial(count, oracle.holder, noise) + Binomial(users - count, oracle.other, noise);
    shares.push_back((static_cast<double>(support) / static_cast<double>(users) - oracle.other) /
                     (oracle.holder - oracle.other));
  }
  return shares;
}

}  // namespace tombola::lab
