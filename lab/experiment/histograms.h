// One value a device: the published frequency oracles without a shuffler, and what a shuffler makes
// of Tombola's mechanisms.
#ifndef TOMBOLA_LAB_EXPERIMENT_HISTOGRAMS_H_
#define TOMBOLA_LAB_EXPERIMENT_HISTOGRAMS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lab/experiment/study.h"

namespace tombola::lab {

struct HistogramStudy {
  int64_t users = 0;
  int64_t domain = 0;
  Comparison comparison;  // of frequencies only; lines have no methods
};

// Zipf(1.1) over so many values. GRR, OUE and OLH have each of StudyEpsilons() as their local
// epsilon; `grr`, `local_hash` and `pure_dump` have it, with kStudyDelta, behind a shuffler. The
// status of the simulation.
absl::StatusOr<HistogramStudy> StudyHistograms(int64_t users, int64_t domain,
                                               const MeasureOptions& options);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_EXPERIMENT_HISTOGRAMS_H_
