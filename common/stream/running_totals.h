// A stream of exact increments becomes a stream of noisy running totals.
#ifndef TOMBOLA_COMMON_STREAM_RUNNING_TOTALS_H_
#define TOMBOLA_COMMON_STREAM_RUNNING_TOTALS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/stream/design.h"
#include "common/stream/release.h"

namespace tombola::stream {

struct TotalsOptions {
  Question question;
  // Blocks of 1, 2, 4, ... periods without an end, each with a design of its own, up to as many
  // periods as its method has; later ones are as long as that. What is released at the end of a
  // block stands at the beginning of the next, and so in all later totals: the last total of a
  // block counts as often as the next block has periods. `question.periods` and
  // `question.last_weight` are not looked at.
  bool unbounded = false;
  int64_t largest = kLargestIncrement;  // [sensitivity, kLargestIncrement]
};

// Unbounded totals are as private as one block: an increment is in one of them, and what precedes a
// block has been released already. A record that changes several increments has `intervals` of them
// in all. There are at most 2^62 / largest periods.
//
// All noise comes from the seed. The same object made of the same options and the same seed gives
// the same totals for the same increments, and after Load those that would have followed; a seed
// that is used for other increments gives both away. Not thread-safe.
class RunningTotals {
 public:
  // Draws 32 bytes for each block from `seed`, which must outlive this object.
  // InvalidArgument as MakeDesign, and for `largest`.
  static absl::StatusOr<std::unique_ptr<RunningTotals>> Create(const TotalsOptions& options,
                                                               RandomSource* seed);

  // The total with the next increment. InvalidArgument, with the bound, for an increment that is
  // negative or above `largest`; OutOfRange after the last period. After an error as before it.
  absl::StatusOr<NoisyTotal> Next(int64_t increment);

  // Whether an increment is one that Next takes: the same refusal, and nothing happens.
  absl::Status Check(int64_t increment) const;

  int64_t periods() const { return periods_; }  // so far
  int64_t left() const;                         // periods
  bool finished() const;
  // Of the block that the next increment is in, or the last one was.
  const Design& design() const { return *design_; }

  // What it takes, beside options and seed, to go on: as secret as the increments.
  std::string Save() const;
  // Of a new object. FailedPrecondition if it is not what one with these options and this seed has
  // saved; the object must then not be used.
  absl::Status Load(absl::Span<const uint8_t> saved);

 private:
  RunningTotals(const TotalsOptions& options, RandomSource* seed)
      : options_(options), seed_(seed) {}
  // Begins the block after `block_`.
  absl::Status BeginBlock();

  const TotalsOptions options_;
  RandomSource* const seed_;
  int64_t block_ = -1;
  int64_t periods_ = 0;
  int64_t in_block_ = 0;  // periods
  NoisyTotal before_;     // of the blocks before
  NoisyTotal last_;
  std::shared_ptr<const Design> design_;
  std::unique_ptr<RandomSource> noise_;
  std::unique_ptr<Release> release_;
};

// How noisy unbounded totals are over so many blocks from the beginning.
struct UnboundedVariance {
  int64_t periods = 0;
  double mean = 0;
  double max = 0;
};
absl::StatusOr<UnboundedVariance> PredictUnbounded(const TotalsOptions& options, int blocks);

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_RUNNING_TOTALS_H_
