// Half widths of intervals, of which many answers ask for the same few.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_HALF_WIDTHS_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_HALF_WIDTHS_H_

#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "collector/estimate/sum_interval.h"

namespace tombola::collector {

// SumInterval's, by standard error: one may take a search, so errors are rounded up to steps of a
// thousandth, of which there are some thousand. Not thread-safe.
class HalfWidths {
 public:
  // `interval` must outlive it.
  explicit HalfWidths(const SumInterval& interval) : interval_(interval) {}

  // As SumInterval::HalfWidth, or wider by a thousandth.
  double Of(double standard_error, double reach) {
    if (!(standard_error > 0)) return interval_.HalfWidth(standard_error, reach);
    const double step = std::ceil(std::log(standard_error) / kStep);
    const auto [at, added] = known_.try_emplace({static_cast<int64_t>(step), reach}, 0);
    if (added) at->second = interval_.HalfWidth(std::exp(step * kStep), reach);
    return at->second;
  }

 private:
  static constexpr double kStep = 1e-3;  // in the logarithm

  const SumInterval& interval_;
  absl::flat_hash_map<std::pair<int64_t, double>, double> known_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_HALF_WIDTHS_H_
