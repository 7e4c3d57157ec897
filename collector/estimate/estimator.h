// Counts become unbiased estimates of frequencies, each with its error.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/mechanism/mechanism.h"

namespace tombola::collector {

// One entry for each value of the domain.
struct Estimates {
  std::vector<double> raw;              // unbiased; may lie below 0 or above 1
  std::vector<double> standard_errors;  // of raw
};

// Immutable and thread-safe. The errors are those of the mechanism's own randomness given the data:
// they do not cover devices that lie or that never reported.
class Estimator {
 public:
  virtual ~Estimator() = default;

  // `submissions` is how many were counted. FailedPrecondition if there are none ("no data") or the
  // mechanism's reports say nothing about the values; InvalidArgument if there is not one count for
  // each value, or one lies outside [0, submissions].
  virtual absl::StatusOr<Estimates> Estimate(absl::Span<const int64_t> counts,
                                             int64_t submissions) const = 0;

  // Half the width of a confidence interval for one value, centred on its raw estimate.
  // InvalidArgument unless raw is finite and confidence is in (0, 1); else as Estimate.
  virtual absl::StatusOr<double> HalfWidth(double raw, int64_t submissions,
                                           double confidence) const = 0;

  // A bound on the largest error over the whole domain, raw against true, that fails with
  // probability at most `beta`, in (0, 1). Not an approximation: it holds for any data and any
  // number of submissions.
  virtual absl::StatusOr<double> MaxError(int64_t submissions, double beta) const = 0;
};

// The estimator of a mechanism; every mechanism has one.
std::unique_ptr<Estimator> MakeEstimator(std::shared_ptr<const mechanism::Mechanism> mechanism);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_
