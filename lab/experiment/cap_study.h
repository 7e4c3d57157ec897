// COUNT of joined tuples when at most so many of a device that are alike count.
#ifndef TOMBOLA_LAB_EXPERIMENT_CAP_STUDY_H_
#define TOMBOLA_LAB_EXPERIMENT_CAP_STUDY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lab/joins/star.h"

namespace tombola::lab {

struct CapPoint {
  int asked = 1;  // attributes
  int64_t tau = 1, cap = 1;
  double nmse = 0;     // of COUNT, predicted: the average over the queries
  double counted = 0;  // the share of all tuples
  double mean = 0;     // of the noise on a cell
  double messages = 0;
};
inline constexpr int64_t kCapTaus[] = {1, 2, 3, 5, 7, 10};

// Every tau of kCapTaus up to the most tuples of a device with every cap among them that is no
// larger, for queries about so many attributes, whose truths are given, at (epsilon, delta) with a
// shuffler. Errors as PlanCappedJoin.
absl::StatusOr<std::vector<CapPoint>> StudyCaps(const StarData& data, int asked,
                                                absl::Span<const JoinQuery> queries,
                                                absl::Span<const JoinTruth> truths, double epsilon,
                                                double delta, int threads);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_CAP_STUDY_H_
