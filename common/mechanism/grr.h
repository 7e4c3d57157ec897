// Shuffled randomised response over the whole domain (generalised randomised response, SH), one
// report for each cell that a device says.
#ifndef TOMBOLA_COMMON_MECHANISM_GRR_H_
#define TOMBOLA_COMMON_MECHANISM_GRR_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/blanket.h"
#include "common/accounting/items.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/filling.h"
#include "common/table/report_state.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
struct GrrOptions {
  // gamma * 2^64, at least 1: a device names a uniform value when 64 uniform bits are below this.
  uint64_t blanket_threshold = 0;
  // 2 to kLargestDomain (common/table/domain_size.h).
  int64_t domain_size = 0;
  // One of several cells is padding and sampling.
  Filling filling;
};

// The device names its value with probability 1 - gamma, else a uniform one of all values. Privacy
// statements use gamma rounded down. Of several cells each is said for itself; if the shuffler
// colludes that many times the budget of one report is what is left. Immutable and thread-safe.
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
  Filling filling() const override { return options_.filling; }
  int64_t max_reports_per_submission() const override { return options_.filling.sent; }
  double expected_reports_per_submission() const override {
    return static_cast<double>(options_.filling.sent);
  }
  Parameters parameters() const override;
  double local_epsilon() const override;
  std::optional<double> memo_epsilon() const override {
    return options_.filling == Filling() ? std::optional(local_epsilon()) : std::nullopt;
  }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest, double negligible) const override;
  uint32_t Randomise(uint64_t value, RandomSource& random) const override;
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const GrrOptions& options() const { return options_; }
  // The blanket's probability, rounded down.
  double gamma() const { return gamma_; }

 private:
  explicit Grr(const GrrOptions& options);
  // Where one report is sent, and where several are.
  accounting::Blanket BlanketOf(int64_t honest) const;
  accounting::Responses ResponsesOf(int64_t honest) const;

  GrrOptions options_;
  double gamma_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_GRR_H_
