// RAPPOR with one cohort: randomised bits, of which each value of a known domain sets its own.
#ifndef TOMBOLA_COMMON_MECHANISM_RAPPOR_H_
#define TOMBOLA_COMMON_MECHANISM_RAPPOR_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/rappor.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/bloom.h"

namespace tombola::mechanism {

// As LocalEpsilonOf, LocalEpsilonOfMemo and the accountants of common/accounting/rappor.h, rounded
// up by more than their logarithms are off, and for any number of honest submissions.
double BudgetOfReports(const accounting::Rappor& responses, int64_t reports);
double BudgetOfMemo(const accounting::Rappor& responses);
absl::StatusOr<double> ShuffledEpsilonAt(const accounting::Rappor& responses, int64_t honest,
                                         double delta);
absl::StatusOr<double> ShuffledDeltaAt(const accounting::Rappor& responses, int64_t honest,
                                       double epsilon);

// The device draws the permanent response to its value's bits, its memo, and from that a report by
// the instantaneous one (common/table/bloom.h).
//
// Guarantees: those of one report by a memo that was drawn for it: the least of the exact blanket
// of linked bits (common/accounting/unary_blanket.h), of what holds for any randomiser, and of what
// the report says by itself. Does not guarantee: anything once a memo is used again, which costs up
// to memo_epsilon() whatever the shuffler does; and nothing ever hides that a device's memo has
// changed. A count of a value is that of the ones on its bits, so that values share counts where
// they share bits; estimates are by least squares (common/table/bloom_weights.h).
//
// Immutable and thread-safe.
class Rappor final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "rappor";
  // Something remains if the shuffler colludes.
  static constexpr bool kHasLocalEpsilon = true;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<Rappor> Create(const BloomOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return bloom_.options().domain_size; }
  Layout layout() const override { return Layout::kBits; }
  const Bloom* bloom() const override { return &bloom_; }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  Parameters parameters() const override;
  // Of one report.
  double local_epsilon() const override { return BudgetOfReports(responses_, /*reports=*/1); }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override {
    return ShuffledDeltaAt(responses_, honest, epsilon);
  }
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override {
    return ShuffledEpsilonAt(responses_, honest, delta);
  }
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  // Of one bit.
  CountModel count_model() const override;
  double PredictedMse(int64_t submissions) const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  std::optional<double> memo_epsilon() const override { return BudgetOfMemo(responses_); }
  const accounting::Rappor& responses() const { return responses_; }

 private:
  explicit Rappor(Bloom bloom);

  Bloom bloom_;
  accounting::Rappor responses_;
};

// The responses of these thresholds, as privacy statements take them.
accounting::Rappor ResponsesOf(const BloomOptions& options);
// With the thresholds of these probabilities. Valid responses.
BloomOptions WithResponses(BloomOptions options, const accounting::Rappor& responses);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_RAPPOR_H_
