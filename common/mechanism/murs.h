// Local hashing among uniform reports that the shuffler adds (MURS; also SOLH): they hide a device
// even where every other report is the observer's own. One report a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_MURS_H_
#define TOMBOLA_COMMON_MECHANISM_MURS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::mechanism {

// A device does what local hashing says; the shuffler adds the same number of fakes to every batch,
// sealed like any report. Immutable and thread-safe.
class Murs final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "murs";
  // Something remains if the shuffler colludes.
  static constexpr bool kHasLocalEpsilon = true;
  static constexpr int64_t kMaxFakes = int64_t{1} << 32;

  // InvalidArgument naming the field and its bound. fakes: 1 to kMaxFakes.
  static absl::StatusOr<Murs> Create(const LocalHashOptions& options, int64_t fakes);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return local_hash_.domain_size(); }
  Layout layout() const override { return local_hash_.layout(); }
  const Hashing* hashing() const override { return &local_hash_; }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  int64_t fakes() const override { return fakes_; }
  Parameters parameters() const override;
  double local_epsilon() const override { return local_hash_.local_epsilon(); }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  CountModel count_model() const override;
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const LocalHash& local_hash() const { return local_hash_; }

 private:
  Murs(LocalHash local_hash, int64_t fakes);

  LocalHash local_hash_;
  int64_t fakes_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MURS_H_
