// Local hashing as everybody sees it who writes or reads its reports.
#ifndef TOMBOLA_COMMON_TABLE_HASHING_H_
#define TOMBOLA_COMMON_TABLE_HASHING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "common/table/hash_family.h"
#include "common/table/local_hash_report.h"
#include "common/table/report_state.h"

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
  // 2 to kLargestDomain (common/table/domain_size.h).
  int64_t domain_size = 0;
};

// The hash functions of a table and their reports. Immutable and thread-safe.
class Hashing {
 public:
  // InvalidArgument naming the field and its bound.
  static absl::Status Validate(const LocalHashOptions& options);
  // Options must be valid.
  explicit Hashing(const LocalHashOptions& options);

  const LocalHashOptions& options() const { return options_; }
  // The blanket's probability, rounded down: less blanket is the worse case.
  double gamma() const { return gamma_; }
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
  LocalHashOptions options_;
  double gamma_;
  uint64_t side_;
  int range_bits_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_HASHING_H_
