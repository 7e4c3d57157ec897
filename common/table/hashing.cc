#include "common/table/hashing.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

constexpr uint64_t kMaxRange = uint64_t{1} << 31;

absl::Status ValidatePlane(const LocalHashOptions& options) {
  const uint64_t least = CeilSqrt(static_cast<uint64_t>(options.domain_size));
  if (options.range < least || options.range >= kMaxRange || !IsPrime(options.range)) {
    return absl::InvalidArgumentError(
        absl::StrCat("local_hash.range is ", options.range, "; the plane over a domain of ",
                     options.domain_size, " needs a prime in [", least, ", 2^31)"));
  }
  if (options.lane_bits != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("local_hash.lane_bits is ", options.lane_bits, "; the plane needs 0"));
  }
  return absl::OkStatus();
}

absl::Status ValidateAffine(const LocalHashOptions& options) {
  if (options.range < 2 || options.range > kMaxRange || !std::has_single_bit(options.range)) {
    return absl::InvalidArgumentError(
        absl::StrCat("local_hash.range is ", options.range,
                     "; the affine family needs a power of two in [2, 2^31]"));
  }
  const int least = std::bit_width(static_cast<uint64_t>(options.domain_size - 1)) +
                    std::countr_zero(options.range);
  if ((options.lane_bits != 32 && options.lane_bits != 64) ||
      static_cast<int>(options.lane_bits) < least) {
    return absl::InvalidArgumentError(
        absl::StrCat("local_hash.lane_bits is ", options.lane_bits,
                     "; the affine family needs 32 or 64, and at least ceil(log2(domain.size)) + "
                     "log2(range) = ",
                     least));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Hashing::Validate(const LocalHashOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  if (options.blanket_threshold < 1) {
    return absl::InvalidArgumentError("local_hash.blanket_threshold is 0; it must be at least 1");
  }
  switch (options.family) {
    case HashFamily::kPlane:
      return ValidatePlane(options);
    case HashFamily::kAffine:
      return ValidateAffine(options);
  }
  return absl::InvalidArgumentError("local_hash.family must be plane or affine");
}

Hashing::Hashing(const LocalHashOptions& options)
    : options_(options),
      gamma_(FractionRoundedDown(options.blanket_threshold)),
      side_(CeilSqrt(static_cast<uint64_t>(options.domain_size))),
      range_bits_(std::countr_zero(options.range)) {}

PlaneReport Hashing::DrawPlane(RandomSource& random) const {
  PlaneReport report;
  report.function = static_cast<uint32_t>(UniformBelow(options_.range + 1, random));
  report.bucket = static_cast<uint32_t>(UniformBelow(options_.range, random));
  return report;
}

AffineReport Hashing::DrawAffine(RandomSource& random) const {
  AffineReport report;
  report.multiplier = random.Next64() >> (64 - options_.lane_bits);
  report.offset = random.Next64() >> (64 - options_.lane_bits);
  report.bucket = static_cast<uint32_t>(random.Next64() >> (64 - range_bits_));
  return report;
}

}  // namespace tombola::mechanism
