// A random number of uniform dummies beside a device's own report: what pure_dump and mix_dump
// share.
#ifndef TOMBOLA_COMMON_MECHANISM_DUMMIES_H_
#define TOMBOLA_COMMON_MECHANISM_DUMMIES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/mechanism/count_table.h"
#include "common/random/random_source.h"
#include "common/scheme/message_law.h"
#include "common/table/count_model.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
struct DummyOptions {
  // Expected dummies of one submission, times 2^kRateBits; at most 2^14 dummies.
  uint64_t rate = 0;
  // The honest submissions of a batch that the dummies are sized for, 1 to 2^40.
  int64_t honest = 0;
  // The most dummies of one submission, 1 to 65534.
  int64_t max = 0;
};

// A Poisson number of dummies, but never more than the most allowed. The number depends on nothing
// that the device holds. Immutable and thread-safe.
class Dummies {
 public:
  // As DummyOptions says.
  static constexpr uint64_t kLargestRate = uint64_t{1} << (14 + kRateBits);

  // InvalidArgument naming the field, with `prefix` (as "pure_dump.dummies.") right before it, and
  // its bound.
  static absl::StatusOr<Dummies> Create(const DummyOptions& options, absl::string_view prefix);

  const DummyOptions& options() const { return options_; }
  // Of one submission's number, the cap included.
  double mean() const { return mean_; }
  double variance() const { return variance_; }

  int64_t Draw(RandomSource& random) const;
  // Replaces *dummies by as many as Draw says, uniform over a domain.
  void DrawUniform(int64_t domain_size, RandomSource& random,
                   std::vector<SignedReport>* dummies) const;
  std::unique_ptr<MessageLaw> message_law() const;

  // The mean of the Poisson law that the numbers of `honest` submissions add up to, for
  // accountants, rounded down; and what the cap and the table cost in delta for that many: the
  // probability that one of them draws fewer than it should. Nothing more needs to be charged,
  // because the number of dummies is independent of values and fewer than a Poisson number hides
  // less only where that happens.
  double TotalMean(int64_t honest) const;
  double Charge(int64_t honest) const;

  // Adds one submission's dummies to a model of counts: uniform over the domain, or of a cell that
  // each of them names by this chance.
  void AddTo(CountModel& model, int64_t domain_size) const {
    AddByChance(model, 1 / static_cast<double>(domain_size));
  }
  void AddByChance(CountModel& model, double chance) const;

 private:
  Dummies(const DummyOptions& options, CountTable table);

  DummyOptions options_;
  CountTable table_;
  double mean_ = 0;
  double variance_ = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_DUMMIES_H_
