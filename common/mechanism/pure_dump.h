// A device's value among uniform dummies that all devices add (pureDUMP, with a Poisson number of
// them). Several reports a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_PURE_DUMP_H_
#define TOMBOLA_COMMON_MECHANISM_PURE_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/noise_law.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/filling.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// A submission is its value, unchanged, and a random number of uniform values; of several cells,
// those that it says. Nothing is left if the shuffler colludes. Immutable and thread-safe.
class PureDump final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "pure_dump";
  static constexpr bool kHasLocalEpsilon = false;

  // InvalidArgument naming the field and its bound. domain_size: 2 to kLargestDomain.
  static absl::StatusOr<PureDump> Create(const DummyOptions& options, int64_t domain_size,
                                         const Filling& filling = {});

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return domain_size_; }
  Layout layout() const override { return Layout::kValue; }
  Filling filling() const override { return filling_; }
  int64_t max_reports_per_submission() const override {
    return filling_.sent + dummies_.options().max;
  }
  double expected_reports_per_submission() const override {
    return static_cast<double>(filling_.sent) + dummies_.mean();
  }
  std::unique_ptr<MessageLaw> message_law() const override { return dummies_.message_law(); }
  Parameters parameters() const override;
  double local_epsilon() const override;  // infinity
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  absl::StatusOr<accounting::SubmissionLoss> Loss(int64_t honest, double negligible) const override;
  void DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const override {
    dummies_.DrawUniform(domain_size_, random, noise);
  }
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const Dummies& dummies() const { return dummies_; }

 private:
  PureDump(Dummies dummies, int64_t domain_size, const Filling& filling);
  // Of each of the cells that are accounted for.
  absl::StatusOr<accounting::NoiseLaw> NoiseOf(int64_t honest) const;

  Dummies dummies_;
  int64_t domain_size_;
  Filling filling_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_PURE_DUMP_H_
