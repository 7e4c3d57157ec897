#include "lab/experiment/cap_study.h"

#include <cmath>

#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "lab/joins/capped.h"

namespace tombola::lab {

absl::StatusOr<std::vector<CapPoint>> StudyCaps(const StarData& data, int asked,
                                                absl::Span<const JoinQuery> queries,
                                                absl::Span<const JoinTruth> truths, double epsilon,
                                                double delta, int threads) {
  std::vector<CappedJoin> joins;
  for (const int64_t tau : kCapTaus) {
    if (tau > data.most()) break;
    const JoinSetting setting = {.places = data.places(),
                                 .asked = asked,
                                 .users = data.users(),
                                 .tau = tau,
                                 .epsilon = epsilon};
    for (const int64_t cap : kCapTaus) {
      if (cap > tau) break;
      TOMBOLA_ASSIGN_OR_RETURN(joins.emplace_back(), PlanCappedJoin(setting, cap, delta));
    }
  }
  const double total = TotalOf(data).count;
  std::vector<CapPoint> points(joins.size());
  ForEachIndex(joins.size(), threads, [&](size_t at) {
    const CappedJoin& join = joins[at];
    CapPoint& point = points[at];
    point = {.asked = asked,
             .tau = join.setting.tau,
             .cap = join.cap,
             .counted = CountedShare(join, data),
             .mean = join.mean,
             .messages = join.messages};
    for (size_t i = 0; i < queries.size(); ++i) {
      const CappedLaw law = LawOf(join, data, queries[i]);
      const double error = std::pow(law.count - truths[i].count, 2) + law.variance;
      point.nmse += error / (total * total * static_cast<double>(queries.size()));
    }
  });
  return points;
}

}  // namespace tombola::lab
