// Shuffled randomised response on a hashed value (SRR), one report a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_
#define TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/accounting/blanket.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/table/hashing.h"
#include "common/table/support.h"

namespace tombola::mechanism {

// The device draws a function of the family, uniformly and privately, and sends it with a bucket:
// with probability 1 - gamma its value's own, else a uniform one of all buckets (Eq. (7); not
// Algorithm 2, whose step 3 exceeds the stated local epsilon, see docs/errata.md).
//
// Guarantees: gamma is used by privacy statements rounded down and local_epsilon() is rounded up,
// so neither is ever better than what a device with these options does. The accountant counts in
// how often two values collide, which both families have exactly. Does not guarantee: anything if
// functions are drawn other than uniformly and independently of value and identity.
//
// Immutable and thread-safe.
class LocalHash final : public Mechanism, public Hashing {
 public:
  static constexpr absl::string_view kName = "local_hash";
  // Something remains if the shuffler colludes.
  static constexpr bool kHasLocalEpsilon = true;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<LocalHash> Create(const LocalHashOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return options().domain_size; }
  Layout layout() const override {
    return options().family == HashFamily::kPlane ? Layout::kPlane : Layout::kAffine;
  }
  const Hashing* hashing() const override { return this; }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  Parameters parameters() const override;
  double local_epsilon() const override;
  // Of the plane, whose few functions many devices share: one of the affine family's would be a
  // name.
  std::optional<double> memo_epsilon() const override {
    return options().family == HashFamily::kPlane ? std::optional(local_epsilon()) : std::nullopt;
  }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  CountModel count_model() const override { return {.support = support_}; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const Support& support() const { return support_; }
  // What one of `honest` submissions hides in, beside `fakes` uniform reports.
  accounting::Blanket BlanketOf(int64_t honest, int64_t fakes) const;
  double p() const { return support_.holder; }
  double s() const { return support_.other; }

 private:
  explicit LocalHash(const LocalHashOptions& options);

  Support support_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_
