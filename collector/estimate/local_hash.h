// The estimator of local hashing.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_LOCAL_HASH_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_LOCAL_HASH_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/estimate/estimator.h"
#include "common/mechanism/local_hash.h"

namespace tombola::collector {

// f = (C / n - s) / (p - s), unbiased for every data set. It stands in place of Eq. (19), which is
// biased for hashed reports and reverses their order when p < 1/2; see docs/errata.md.
class LocalHashEstimator final : public Estimator {
 public:
  explicit LocalHashEstimator(std::shared_ptr<const mechanism::LocalHash> local_hash);

  absl::StatusOr<Estimates> Estimate(absl::Span<const int64_t> counts,
                                     int64_t submissions) const override;
  absl::StatusOr<double> HalfWidth(double raw, int64_t submissions,
                                   double confidence) const override;
  absl::StatusOr<double> MaxError(int64_t submissions, double beta) const override;

 private:
  // FailedPrecondition if nothing can be estimated.
  absl::Status CheckData(int64_t submissions) const;

  std::shared_ptr<const mechanism::LocalHash> local_hash_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_LOCAL_HASH_H_
