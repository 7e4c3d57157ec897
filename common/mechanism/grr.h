// Shuffled randomised response over the whole domain (generalised randomised response, SH), one
// report a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_GRR_H_
#define TOMBOLA_COMMON_MECHANISM_GRR_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/report_state.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
struct GrrOptions {
  // gamma * 2^64, at least 1: a device names a uniform value when 64 uniform bits are below this.
  uint64_t blanket_threshold = 0;
  // 2 to kLargestDomain (common/table/domain_size.h).
  int64_t domain_size = 0;
};

// The device names its value with probability 1 - gamma, else a uniform one of all values. Privacy
// statements use gamma rounded down. Immutable and thread-safe.
class Grr final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "grr";
  // Something remains if the shuffler colludes.
  static constexpr bool kHasLocalEpsilon = true;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<Grr> Create(const GrrOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return options_.domain_size; }
  Layout layout() const override { return Layout::kValue; }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  Parameters parameters() const override { return {}; }
  double local_epsilon() const override;
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  uint32_t Randomise(uint64_t value, RandomSource& random) const override;
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const GrrOptions& options() const { return options_; }
  // The blanket's probability, rounded down.
  double gamma() const { return gamma_; }

 private:
  explicit Grr(const GrrOptions& options);

  GrrOptions options_;
  double gamma_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_GRR_H_
