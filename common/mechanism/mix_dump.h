// A randomised value among uniform dummies that all devices add (mixDUMP): what the shuffler cannot
// undo is the randomised response. Several reports a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_MIX_DUMP_H_
#define TOMBOLA_COMMON_MECHANISM_MIX_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/dummies.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::mechanism {

// A submission is its value by randomised response and a random number of uniform values. The
// dummies' number is random, and is accounted for as such: a fixed number of the same mean would
// understate delta. Immutable and thread-safe.
class MixDump final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "mix_dump";
  // Something remains if the shuffler colludes.
  static constexpr bool kHasLocalEpsilon = true;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<MixDump> Create(const GrrOptions& response, const DummyOptions& dummies);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return response_.domain_size(); }
  Layout layout() const override { return Layout::kValue; }
  int64_t max_reports_per_submission() const override { return 1 + dummies_.options().max; }
  double expected_reports_per_submission() const override { return 1 + dummies_.mean(); }
  std::unique_ptr<MessageLaw> message_law() const override { return dummies_.message_law(); }
  Parameters parameters() const override;
  double local_epsilon() const override { return response_.local_epsilon(); }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  uint32_t Randomise(uint64_t value, RandomSource& random) const override {
    return response_.Randomise(value, random);
  }
  void DrawNoise(RandomSource& random, std::vector<SignedReport>* noise) const override {
    dummies_.DrawUniform(domain_size(), random, noise);
  }
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const Grr& response() const { return response_; }
  const Dummies& dummies() const { return dummies_; }

 private:
  MixDump(Grr response, Dummies dummies);

  Grr response_;
  Dummies dummies_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MIX_DUMP_H_
