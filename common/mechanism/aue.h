// Every device names every value with a small probability, beside its own (augmented unary
// encoding: Balcer and Cheu, "Separating local and shuffled differential privacy via histograms",
// 2020). Several reports a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_AUE_H_
#define TOMBOLA_COMMON_MECHANISM_AUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/noise_law.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/filling.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
struct AueOptions {
  // gamma * 2^64, from 1 to 2^63: a device names a value besides its own when 64 uniform bits are
  // below this.
  uint64_t coin_threshold = 0;
  // The honest submissions of a batch that the noise is sized for, 1 to 2^40.
  int64_t honest = 0;
  // The most dummies of one submission, 1 to 65534. A device that draws more draws again, which it
  // must do with probability 1/2 at most.
  int64_t max_dummies = 0;
  // 2 to kLargestDomain (common/table/domain_size.h).
  int64_t domain_size = 0;
  // All that a device holds is sent.
  Filling filling;
};

// Pr[Bin(domain_size, coin_threshold / 2^64) > max_dummies], rounded up; fields as AueOptions says.
double AboveCap(int64_t domain_size, uint64_t coin_threshold, int64_t max_dummies);

// A submission names its value, and each value of the domain (its own included) once more with
// probability gamma. Nothing is left if the shuffler colludes. The counts of `honest` submissions
// carry Bin(honest, gamma) on every value; that a device draws again where it exceeds max_dummies
// is charged to delta. Immutable and thread-safe.
class Aue final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "aue";
  static constexpr bool kHasLocalEpsilon = false;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<Aue> Create(const AueOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return options_.domain_size; }
  Layout layout() const override { return Layout::kValue; }
  Filling filling() const override { return options_.filling; }
  int64_t max_reports_per_submission() const override {
    return options_.filling.sent + options_.max_dummies;
  }
  double expected_reports_per_submission() const override;
  std::unique_ptr<MessageLaw> message_law() const override;
  Parameters parameters() const override;
  double local_epsilon() const override;  // infinity
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest, double negligible) const override;
  // The values that one submission names besides its own, ascending. Each value is in it with
  // probability exactly coin_threshold / 2^64, independently, but for the cap. Takes about
  // log2(1/gamma) domain_size / 64 random words at most: a word's bits are candidates for 64 values
  // at once.
  void DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const override;
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const AueOptions& options() const { return options_; }

 private:
  explicit Aue(const AueOptions& options);
  // The probability that one of this many devices draws again, rounded up.
  double Difference(int64_t honest) const;
  // Without it, where a cell's noise has this law.
  absl::StatusOr<double> CellsDelta(const accounting::NoiseLaw& law, double epsilon) const;

  AueOptions options_;
  double gamma_;      // rounded down
  double above_cap_;  // Pr[Bin(domain_size, gamma) > max_dummies], rounded up
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_AUE_H_
