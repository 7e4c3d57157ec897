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
#include "common/accounting/loss_law.h"
#include "common/accounting/noise_law.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/filling.h"
#include "common/table/value_report.h"

namespace tombola::mechanism {

// Where a table's cells are levels, one after the other, of each of which a device fills one cell:
// how many cells a level has, and its dummies, as DummyOptions::rate says those of all.
struct DummyLevel {
  int64_t cells = 0;
  uint64_t rate = 0;
};

// A submission is its value, unchanged, and a random number of uniform values; of several cells,
// those that it says. Where there are levels, a dummy is of one of them with a probability in
// proportion to their rates, exactly, and of any of its cells alike: so much more noise may be on
// those that matter less. Nothing is left if the shuffler colludes. Immutable and thread-safe.
class PureDump final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "pure_dump";
  static constexpr bool kHasLocalEpsilon = false;

  // InvalidArgument naming the field and its bound. domain_size: 2 to kLargestDomain.
  static absl::StatusOr<PureDump> Create(const DummyOptions& options, int64_t domain_size,
                                         const Filling& filling = {});
  // Of levels, at least 2, on each of which a device fills and says one of the cells. `options` are
  // without a rate, which is that of all levels together.
  static absl::StatusOr<PureDump> Create(DummyOptions options, std::vector<DummyLevel> levels);

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
  void DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const override;
  CountModel count_model() const override;
  std::vector<ModelledCells> count_models() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const Dummies& dummies() const { return dummies_; }
  // None where all cells have the same noise.
  const std::vector<DummyLevel>& levels() const { return levels_; }

 private:
  PureDump(Dummies dummies, int64_t domain_size, const Filling& filling);
  // Of each of the cells that are accounted for, where there are no levels.
  absl::StatusOr<accounting::NoiseLaw> NoiseOf(int64_t honest) const;
  // Of every level, one of its cells; and of all that a device fills.
  std::vector<double> LevelMeans(int64_t honest) const;
  absl::StatusOr<std::vector<accounting::LossPart>> Parts(int64_t honest) const;
  // Of cells that a dummy names with this probability.
  CountModel ModelOf(double chance) const;

  Dummies dummies_;
  int64_t domain_size_;
  Filling filling_;
  std::vector<DummyLevel> levels_;
  std::vector<uint64_t> rates_;  // of the levels, added up; the last is the rate of all
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_PURE_DUMP_H_
