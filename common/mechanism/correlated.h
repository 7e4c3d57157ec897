// A device's value among messages +1 and -1 for random values, most of which cancel
// (accounting/correlated.h). Several reports a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_CORRELATED_H_
#define TOMBOLA_COMMON_MECHANISM_CORRELATED_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/correlated.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/filling.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
//
// What one submission adds is compound Poisson: a Poisson number of clusters, each at a uniform
// value and of a logarithmic size. Over `honest` submissions that is, on each value, negative
// binomial of shape honest rate / (domain_size ln(1/(1 - p))).
struct CorrelatedOptions {
  // p1 * 2^64 and pf * 2^64: of the sizes of clusters of noise and of the flood. In
  // [2^44, 2^64 - 2^52].
  uint64_t noise_success = 0;
  uint64_t flood_success = 0;
  // Expected clusters of one submission, over all values, times 2^kRateBits: of +1 alone (as many
  // again of -1 alone), and of pairs; at most 2^14 clusters. Both must make the shape of `honest`
  // submissions at least 1.
  uint64_t noise_rate = 0;
  uint64_t flood_rate = 0;
  // The honest submissions of a batch that the noise is sized for, 1 to 2^40.
  int64_t honest = 0;
  // The most messages of noise of one submission, 1 to 65534. A device that draws more draws again,
  // which it must do with probability 1/2 at most.
  int64_t max_noise = 0;
  // 2 to kLargestDomain (common/table/domain_size.h).
  int64_t domain_size = 0;
  // All that a device holds is sent.
  Filling filling;
};

// The probability that one submission's noise exceeds max_noise, rounded up. Every other field must
// be as said above.
double AboveCap(const CorrelatedOptions& options);

// A submission is +1 for its value and the noise. Nothing is left if the shuffler colludes, and
// nothing is proven for fewer than options().honest submissions. Tables and the cap are charged to
// delta. Immutable and thread-safe.
class Correlated final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "correlated";
  static constexpr bool kHasLocalEpsilon = false;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<Correlated> Create(const CorrelatedOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return options_.domain_size; }
  Layout layout() const override { return Layout::kSigned; }
  Filling filling() const override { return options_.filling; }
  int64_t max_reports_per_submission() const override {
    return options_.filling.sent + options_.max_noise;
  }
  double expected_reports_per_submission() const override;
  std::unique_ptr<MessageLaw> message_law() const override;
  Parameters parameters() const override;
  double local_epsilon() const override;  // infinity
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest, double negligible) const override;
  void DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const override;
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const CorrelatedOptions& options() const { return options_; }
  // The noise of options().honest submissions on one value, rounded to the side that hides less.
  const accounting::CorrelatedNoise& noise() const { return noise_; }
  // The shape, at one value, of one submission's part of the noise that stays in the estimate.
  double noise_shape() const { return noise_shape_; }

 private:
  explicit Correlated(const CorrelatedOptions& options);
  // The probability that one of options().honest submissions draws other noise than the laws say,
  // by the cap or the tables; rounded up.
  double Difference() const;
  // Of the cells that a device says.
  absl::StatusOr<double> CellsDelta(const accounting::NoiseLaw& lesser, double epsilon) const;
  // False, with part of the noise, as soon as it exceeds the cap.
  bool TryDrawNoise(RandomSource& random, std::vector<SignedReport>* reports) const;

  CorrelatedOptions options_;
  CountTable noise_clusters_, flood_clusters_, noise_sizes_, flood_sizes_;
  accounting::CorrelatedNoise noise_;
  double noise_shape_ = 0;
  double above_cap_ = 0;  // the probability that a submission draws again, rounded up
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_CORRELATED_H_
