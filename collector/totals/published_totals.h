// Running totals of one number of a task, with noise, as they are published period by period.
//
// What is kept lies in one directory: that of common/totals/lasting_totals.h, and at the end
// `released`, all totals with their terms, which is as public as they are: it is on disk before the
// seed of the noise is erased.
//
// `released` is text: `tombola released totals 1`, the structure, epsilon, delta, the epsilon of
// one part, intervals, sensitivity and the number of totals, each on a line, a line for each total
// with its variance, and `sha256` with the digest of everything before.
#ifndef TOMBOLA_COLLECTOR_TOTALS_PUBLISHED_TOTALS_H_
#define TOMBOLA_COLLECTOR_TOTALS_PUBLISHED_TOTALS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/crypto/sealing_key.h"
#include "common/random/random_source.h"
#include "common/totals/lasting_totals.h"

namespace tombola::collector {

// What all totals together guarantee for neighbours that differ in one device's submissions.
struct TotalsTerms {
  std::string structure;
  double epsilon = 0;
  double delta = 0;
  double submission_epsilon = 0;  // with the same delta, in one submission
  int64_t sensitivity = 0;        // what one submission may change a total by
  int64_t intervals = 0;          // the changes of all of them
  double mean_variance = 0;       // of a total: predicted, or once they have ended as it was
  bool gaussian = false;
};

// Not thread-safe.
class PublishedTotals {
 public:
  // As LastingTotals::Begin. `submissions`: how many a device may make, which divides intervals.
  static absl::StatusOr<std::unique_ptr<PublishedTotals>> Begin(
      const std::string& directory, const crypto::SealingKey& key,
      const stream::TotalsOptions& options, int64_t submissions, RandomSource& random);
  // What there is in the directory: the same totals again, whatever was cut short. As
  // LastingTotals::GoOn; NotFound also where a Begin was cut short. No key: DataLoss, but for what
  // has ended, which is not sealed.
  static absl::StatusOr<std::unique_ptr<PublishedTotals>> Open(const std::string& directory,
                                                               const crypto::SealingKey* key,
                                                               int64_t submissions,
                                                               RandomSource& random);

  // Publishes the totals of the next periods: those of `exact` or, where one is below an earlier
  // one, that. What is published goes up only; and by how much one record changes it goes up and
  // down, as periods pass, no more than by how much the record changes `exact`: each follows the
  // other without overtaking. On disk on return. After an error it must be opened anew.
  absl::Status Publish(absl::Span<const int64_t> exact);
  // No further ones: erases seed and increments. Idempotent.
  absl::Status End();

  const TotalsTerms& terms() const { return terms_; }
  bool ended() const { return lasting_ == nullptr; }
  // Of the periods 1, 2, ...
  const std::vector<stream::NoisyTotal>& released() const { return released_; }

 private:
  explicit PublishedTotals(std::string directory) : directory_(std::move(directory)) {}
  void TakeTerms(int64_t submissions);
  std::string Written() const;
  absl::Status Read();

  const std::string directory_;
  std::unique_ptr<stream::LastingTotals> lasting_;  // until they have ended
  TotalsTerms terms_;
  std::vector<stream::NoisyTotal> released_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_TOTALS_PUBLISHED_TOTALS_H_
