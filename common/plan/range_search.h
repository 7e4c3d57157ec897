// The range of local hashing with the least error, as a real number.
#ifndef TOMBOLA_COMMON_PLAN_RANGE_SEARCH_H_
#define TOMBOLA_COMMON_PLAN_RANGE_SEARCH_H_

#include <functional>

#include "absl/status/statusor.h"

namespace tombola::mechanism {

struct RangeSearchOptions {
  // The smallest and largest range to consider.
  double least = 2;
  double most = 2147483648.0;
  // kappa = e^(local epsilon) - 1 that is allowed whatever the range: e^epsilon - 1.
  double always = 0;
  // kappa that is never exceeded.
  double cap = 0;
  // B of the central limit of the accountant, (K - g)^2 / K <= B with K = kappa + g, and the number
  // of values: they say where to look first.
  double blanket = 0;
  double domain_size = 0;
};

struct RangePoint {
  double range = 0;
  double kappa = 0;
  double error = 0;
};

// Minimises error(range, kappa) over ranges, where kappa is the lesser of the cap and
// largest_kappa(range). largest_kappa is dear and called at most 40 times, mostly 20: a coarse
// scan, then ever smaller steps around the best point. The point returned was evaluated.
absl::StatusOr<RangePoint> SearchRange(
    const RangeSearchOptions& options,
    const std::function<absl::StatusOr<double>(double range)>& largest_kappa,
    const std::function<double(double range, double kappa)>& error);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_RANGE_SEARCH_H_
