// Running totals that a crash cannot change, and whose noise is not drawn twice.
//
// What is kept lies in one directory: `stream` (the seed of all noise), `increments` (those so far;
// with the seed whoever knows the totals knows them anyway), both sealed under a key that lies
// elsewhere, and `lock`. The seed is on disk before its first use, and increments before a total
// that they are part of is given out: so a program that goes on after a crash has the noise that it
// had, and no noise is used for two different increments. At the end the seed is overwritten and
// removed, increments with it; `ended` says that there was a stream.
//
// Not guaranteed: anything if an older copy of the directory is put back, for what was released
// since is then noise that is used again. Not protected: increments and seed while key and
// directory are in the same hands.
#ifndef TOMBOLA_COMMON_TOTALS_LASTING_TOTALS_H_
#define TOMBOLA_COMMON_TOTALS_LASTING_TOTALS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/crypto/sealing_key.h"
#include "common/disk/lock.h"
#include "common/random/keyed_random.h"
#include "common/random/random_source.h"
#include "common/stream/running_totals.h"
#include "common/totals/increment_log.h"
#include "common/totals/sealed_seed.h"

namespace tombola::stream {

// Not thread-safe.
class LastingTotals {
 public:
  enum class Found { kNothing, kStream, kEnded };
  // What is in a directory, which need not be there.
  static absl::StatusOr<Found> LookIn(const std::string& directory);

  // A new stream, in a directory that is made if need be. `random` is a cryptographic source and
  // must outlive the object. AlreadyExists: there is a stream, or was one. FailedPrecondition:
  // another process has the directory. InvalidArgument as RunningTotals::Create.
  static absl::StatusOr<std::unique_ptr<LastingTotals>> Begin(const std::string& directory,
                                                              const crypto::SealingKey& key,
                                                              const TotalsOptions& options,
                                                              RandomSource& random);

  // Goes on, and tells all totals that there were, again and the same. NotFound: there is no
  // stream. DataLoss: another key, or damage. FailedPrecondition: another process, or a program
  // that would not draw the same noise.
  using Tell = absl::FunctionRef<void(int64_t period, const NoisyTotal& total)>;
  static absl::StatusOr<std::unique_ptr<LastingTotals>> GoOn(const std::string& directory,
                                                             const crypto::SealingKey& key,
                                                             RandomSource& random, Tell tell);

  // One sync for all. Appends the totals of these increments, or of the first of them if not all
  // could be taken: those in `totals` count, whatever is returned. InvalidArgument and OutOfRange
  // as RunningTotals::Next. Another status: nothing can be taken any more before GoOn, which then
  // has the increments or has them not.
  absl::Status Take(absl::Span<const int64_t> increments, std::vector<NoisyTotal>& totals);

  // What was asked for when the stream began. NotFound and DataLoss as GoOn.
  static absl::StatusOr<TotalsOptions> OptionsOf(const std::string& directory,
                                                 const crypto::SealingKey& key);

  const RunningTotals& totals() const { return *totals_; }
  const TotalsOptions& options() const { return kept_.options; }
  // The sum of all increments that were taken: a secret.
  int64_t exact() const { return exact_; }

  // Erases seed and increments. To be called when totals have gone where they are wanted; a crash
  // meanwhile is made good by FinishErasing.
  absl::Status End();
  // Erases what an End that was cut short has left. Of a directory with kEnded.
  static absl::Status FinishErasing(const std::string& directory);
  // How many periods there were. Of a directory with kEnded.
  static absl::StatusOr<int64_t> EndedAfter(const std::string& directory);

 private:
  LastingTotals(std::string directory, DiskLock lock, SealedSeed kept, RandomSource& random)
      : directory_(std::move(directory)),
        lock_(std::move(lock)),
        kept_(std::move(kept)),
        seed_(kept_.seed.ExposeSecret()),
        random_(random) {}
  // Makes `totals_`.
  absl::Status Start();
  absl::Status TakeGroup(absl::Span<const int64_t> increments, std::vector<NoisyTotal>& totals);
  // Takes over what the log has.
  absl::Status Replay(const IncrementGroup& group, Tell tell);

  const std::string directory_;
  const DiskLock lock_;
  const SealedSeed kept_;
  KeyedRandom seed_;
  RandomSource& random_;
  std::unique_ptr<RunningTotals> totals_;
  std::unique_ptr<IncrementLog> log_;
  int64_t exact_ = 0;
  bool broken_ = false;
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_TOTALS_LASTING_TOTALS_H_
