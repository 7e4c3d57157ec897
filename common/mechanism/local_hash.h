// Shuffled randomised response on a hashed value (SRR), one report a submission.
#ifndef TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_
#define TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/local_hash_report.h"
#include "common/mechanism/mechanism.h"
#include "common/mechanism/report_state.h"
#include "common/mechanism/support.h"
#include "common/random/random_source.h"

namespace tombola::mechanism {

// No field has a usable default: zero is refused.
struct LocalHashOptions {
  HashFamily family = HashFamily::kPlane;
  // The number of buckets. The plane needs a prime in [ceil(sqrt(domain_size)), 2^31), the affine
  // family a power of two in [2, 2^31].
  uint64_t range = 0;
  // gamma * 2^64, at least 1: a device sends a uniform bucket when 64 uniform bits are below this.
  // Larger hides more and tells less.
  uint64_t blanket_threshold = 0;
  // 0 for the plane; 32 or 64 for the affine family, at least ceil(log2(domain_size)) +
  // log2(range), because narrower words are biased.
  uint32_t lane_bits = 0;
  // 2 to 2^24.
  int64_t domain_size = 0;
};

// The device draws a function of the family, uniformly and privately, and sends it with a bucket:
// with probability 1 - gamma its value's own, else a uniform one of all buckets (Eq. (7); not
// Algorithm 2, whose step 3 exceeds the stated local epsilon, see docs/errata.md).
//
// Guarantees: gamma is used by privacy statements rounded down and local_epsilon() is rounded up,
// so neither is ever better than what a device with these options does. The accountant's bound
// holds for every hash family. Does not guarantee: anything if functions are drawn other than
// uniformly and independently of value and identity.
//
// Immutable and thread-safe.
class LocalHash final : public Mechanism {
 public:
  static constexpr absl::string_view kName = "local_hash";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<LocalHash> Create(const LocalHashOptions& options);

  absl::string_view name() const override { return kName; }
  int64_t domain_size() const override { return options_.domain_size; }
  size_t report_bytes() const override;
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  Parameters parameters() const override;
  double local_epsilon() const override;
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override;
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override;
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override;
  CountModel count_model() const override { return {.support = support_}; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override;

  const LocalHashOptions& options() const { return options_; }
  // The blanket's probability, rounded down: less blanket is the worse case.
  double gamma() const { return gamma_; }
  const Support& support() const { return support_; }
  double p() const { return support_.holder; }
  double s() const { return support_.other; }
  // ceil(sqrt(domain_size)): value v of the plane is the point (v div side, v mod side).
  uint64_t side() const { return side_; }
  // log2 of the affine family's range.
  int range_bits() const { return range_bits_; }

  // The following come in pairs, one for each family; call the one that options().family names.

  // A uniformly drawn report: function, and bucket of all buckets.
  PlaneReport DrawPlane(RandomSource& random) const;
  AffineReport DrawAffine(RandomSource& random) const;

  // The bucket of `value` (< domain_size) under the report's function; the report's own bucket is
  // ignored.
  uint32_t Bucket(const PlaneReport& report, uint64_t value) const {
    return PlaneBucket(report.function, value, side_, options_.range);
  }
  uint32_t Bucket(const AffineReport& report, uint64_t value) const {
    return AffineBucket(report.multiplier, report.offset, value,
                        static_cast<int>(options_.lane_bits), range_bits_);
  }

  // Reads bytes from outside. *report is specified only for kValid.
  ReportState Decode(absl::Span<const uint8_t> bytes, PlaneReport* report) const {
    if (!Read(bytes, report)) return ReportState::kMalformed;
    const bool valid = report->function <= options_.range && report->bucket < options_.range;
    return valid ? ReportState::kValid : ReportState::kOutOfRange;
  }
  ReportState Decode(absl::Span<const uint8_t> bytes, AffineReport* report) const {
    if (!Read(bytes, report)) return ReportState::kMalformed;
    const uint64_t largest = ~uint64_t{0} >> (64 - options_.lane_bits);
    const bool valid = report->multiplier <= largest && report->offset <= largest &&
                       report->bucket < options_.range;
    return valid ? ReportState::kValid : ReportState::kOutOfRange;
  }

 private:
  explicit LocalHash(const LocalHashOptions& options);

  LocalHashOptions options_;
  double gamma_;
  Support support_;
  uint64_t side_;
  int range_bits_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_H_
