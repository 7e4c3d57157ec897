// What a task guarantees, and what it asks of the parties for it: all that those need to know who
// never look into a report.
#ifndef TOMBOLA_COMMON_SCHEME_SCHEME_H_
#define TOMBOLA_COMMON_SCHEME_SCHEME_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/submission_loss.h"
#include "common/random/random_source.h"
#include "common/scheme/message_law.h"

namespace tombola::mechanism {

// A scheme's parameters in the words of the command line; what it does not have is absent.
struct Parameters {
  std::optional<double> range;              // hash buckets
  std::optional<absl::string_view> family;  // of the hash functions: "plane" or "affine"
  std::optional<double> dummies;  // expected dummies for one value that `honest` devices send
  std::optional<int64_t> fakes;   // reports that the shuffler adds to a batch
  std::optional<double> noise_epsilon, shape, flood;  // of accounting::CorrelatedNoise
  // The devices that noise is spread over: they add up to `dummies`, or to `shape`.
  std::optional<int64_t> honest;
  // Where a device fills several cells: how many, and how many of them it says; and how many of
  // these may be one and the same cell, where that is more than one.
  std::optional<int64_t> max_items, sent, units;
  // Of reports that are bits: how many, and how many a value sets; the permanent and the
  // instantaneous response (accounting::Rappor), and what any number of reports by one memo say.
  std::optional<int64_t> bits, hashes;
  std::optional<double> prr, irr_p, irr_q, memo_epsilon;
  // Where cells are of several levels, each with noise of its own: the `dummies` of a cell of each.
  std::vector<double> level_dummies = {};
};

// How the submissions of a batch hide each other. Today a scheme is one mechanism on one table, of
// which a device fills one cell or several; others (one of several tables, several at once) are
// other implementations of this. Immutable and thread-safe.
//
// Guarantees hold for neighbours that differ in what one submission holds, n being public, if at
// least `honest` of a batch's submissions come from devices that followed the scheme and the
// observer sees nothing but the multiset of reports. What a device does over several batches is
// composed elsewhere (common/task/whole_life.h), by Loss.
class Scheme {
 public:
  virtual ~Scheme() = default;

  // As on the command line, e.g. "local_hash".
  virtual absl::string_view name() const = 0;
  virtual Parameters parameters() const = 0;

  // The length of a plaintext report, the same whatever it says.
  virtual size_t report_bytes() const = 0;
  // What a submission says of the device itself, the same for all; noise comes on top.
  virtual int64_t own_reports_per_submission() const { return 1; }
  virtual int64_t max_reports_per_submission() const = 0;
  virtual double expected_reports_per_submission() const = 0;
  // Null where the number of a submission's reports is not random.
  virtual std::unique_ptr<MessageLaw> message_law() const { return nullptr; }
  // How many reports, each by DrawFake, the shuffler adds to every batch.
  virtual int64_t fakes() const { return 0; }
  // Writes a report drawn uniformly from all reports; report.size() == report_bytes().
  virtual void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const = 0;

  // Whether a device says the same memo again and again: local_epsilon() is then of all its
  // submissions together, and Delta and EpsilonAt of as many (memo_scheme.h).
  virtual bool memoised() const { return false; }

  // What remains if the shuffler colludes; infinity where nothing does. Never below the truth.
  virtual double local_epsilon() const = 0;
  // An upper bound on the delta that holds at `epsilon`. Where noise is spread over devices
  // (parameters().honest), more honest submissions than it was sized for change nothing here; with
  // fewer, FailedPrecondition where nothing is proven.
  virtual absl::StatusOr<double> Delta(int64_t honest, double epsilon) const = 0;
  // An epsilon that holds at `delta`, at most local_epsilon(). FailedPrecondition if there is none.
  virtual absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const = 0;
  // The loss of one submission in a batch of so many honest ones, for those who compose several of
  // a device, none of which is in the batch of another. Its delta is at least that of Delta, up to
  // an epsilon at which that is at most `negligible` > 0. Errors as Delta; FailedPrecondition also
  // where Delta is never small. Unless a scheme knows better it is made from the curve of Delta,
  // which bounds both orders of every two neighbours, by at most kMostLossEvaluations of it.
  virtual absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest, double negligible) const;
  // The fewest honest submissions for which (epsilon, delta) holds.
  virtual absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const = 0;
};

// How many of `submissions` are left when `share` of them in [0, 1), rounded up, is the observer's
// own.
int64_t HonestOf(int64_t submissions, double share);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_SCHEME_SCHEME_H_
