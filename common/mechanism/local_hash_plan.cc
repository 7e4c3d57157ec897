#include "common/mechanism/local_hash_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/range_search.h"
#include "common/mechanism/support.h"

namespace tombola::mechanism {
namespace {

constexpr double kMaxRange = 2147483648.0;
// How much of the error the plane may cost over a range that is free to be any real number.
constexpr double kPlaneTolerance = 1.01;

absl::Status Validate(const LocalHashPlanRequest& request) {
  if (request.honest < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("honest is ", request.honest, "; it must be at least 1"));
  }
  if (request.submissions < request.honest) {
    return absl::InvalidArgumentError(absl::StrCat("submissions is ", request.submissions,
                                                   "; it must be at least honest, which is ",
                                                   request.honest));
  }
  if (request.domain_size < 2 || request.domain_size > int64_t{1} << 24) {
    return absl::InvalidArgumentError(
        absl::StrCat("domain_size is ", request.domain_size, "; it must be in [2, 2^24]"));
  }
  if (!(request.epsilon > 0) || !std::isfinite(request.epsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon is ", request.epsilon, "; it must be positive and finite"));
  }
  if (!(request.delta > 0 && request.delta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta is ", request.delta, "; it must be in (0, 1)"));
  }
  if (!(request.max_local_epsilon > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_local_epsilon is ", request.max_local_epsilon, "; it must be positive"));
  }
  return absl::OkStatus();
}

// gamma = g / (kappa + g) as a multiple of 2^-64, rounded up: more blanket is the safe side.
uint64_t ThresholdFor(double range, double kappa) {
  constexpr double kRoundUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  const double scaled = std::ceil(std::ldexp(range / (kappa + range) * kRoundUp, 64));
  if (scaled >= std::ldexp(1.0, 64)) return ~uint64_t{0};
  return std::max<uint64_t>(1, static_cast<uint64_t>(scaled));
}

uint32_t LaneBits(HashFamily family, uint64_t range, int64_t domain_size) {
  if (family == HashFamily::kPlane) return 0;
  const int needed =
      std::bit_width(static_cast<uint64_t>(domain_size - 1)) + std::countr_zero(range);
  return needed <= 32 ? 32 : 64;
}

double KappaOf(double local_epsilon) {
  return std::min(std::expm1(local_epsilon), accounting::kLargestKappa);
}

absl::StatusOr<double> KappaFor(const LocalHashPlanRequest& request, double range) {
  const double cap = KappaOf(request.max_local_epsilon);
  if (cap <= KappaOf(request.epsilon)) return cap;
  TOMBOLA_ASSIGN_OR_RETURN(
      const double kappa,
      accounting::LargestKappa(request.honest, range, /*fakes=*/0, request.epsilon, request.delta));
  return std::min(kappa, cap);
}

// The options of this family and range with the least blanket that was seen to meet the target.
absl::StatusOr<LocalHash> WithRange(const LocalHashPlanRequest& request, HashFamily family,
                                    uint64_t range) {
  TOMBOLA_ASSIGN_OR_RETURN(double kappa, KappaFor(request, static_cast<double>(range)));
  // Rounding can leave the first attempt a hair outside; each further one gives way a little more.
  for (double step = 1e-12; step < 0.1; step *= 10) {
    LocalHashOptions options;
    options.family = family;
    options.range = range;
    options.blanket_threshold = ThresholdFor(static_cast<double>(range), kappa);
    options.lane_bits = LaneBits(family, range, request.domain_size);
    options.domain_size = request.domain_size;
    TOMBOLA_ASSIGN_OR_RETURN(LocalHash candidate, LocalHash::Create(options));
    TOMBOLA_ASSIGN_OR_RETURN(const double delta, candidate.Delta(request.honest, request.epsilon));
    if (delta <= request.delta && candidate.local_epsilon() <= request.max_local_epsilon) {
      return candidate;
    }
    kappa *= 1 - step;
  }
  return absl::InternalError(
      absl::StrCat("no blanket_threshold for range ", range, " was seen to meet the target"));
}

LocalHash Better(const LocalHashPlanRequest& request, const LocalHash& a, const LocalHash& b) {
  return b.PredictedMse(request.submissions) < a.PredictedMse(request.submissions) ? b : a;
}

absl::StatusOr<LocalHash> BestOfGivenRange(const LocalHashPlanRequest& request) {
  const uint64_t range = *request.range;
  const uint64_t side = CeilSqrt(static_cast<uint64_t>(request.domain_size));
  const bool fits = range >= 2 && static_cast<double>(range) <= kMaxRange;
  if (fits && range >= side && IsPrime(range)) {
    return WithRange(request, HashFamily::kPlane, range);
  }
  if (fits && std::has_single_bit(range)) return WithRange(request, HashFamily::kAffine, range);
  return absl::InvalidArgumentError(absl::StrCat("range is ", range, "; it must be a prime in [",
                                                 side, ", 2^31) or a power of two in [2, 2^31]"));
}

absl::StatusOr<LocalHash> BestAffine(const LocalHashPlanRequest& request, double range) {
  const uint64_t below = std::bit_floor(static_cast<uint64_t>(range));
  TOMBOLA_ASSIGN_OR_RETURN(LocalHash best, WithRange(request, HashFamily::kAffine, below));
  if (static_cast<double>(below) == kMaxRange) return best;
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHash above,
                           WithRange(request, HashFamily::kAffine, 2 * below));
  return Better(request, best, above);
}

absl::StatusOr<RangePoint> BestRealRange(const LocalHashPlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(request.epsilon, request.delta));
  RangeSearchOptions options;
  options.most = kMaxRange;
  options.always = KappaOf(request.epsilon);
  options.cap = KappaOf(request.max_local_epsilon);
  options.blanket = static_cast<double>(request.honest) * theta * theta / 2;
  options.domain_size = static_cast<double>(request.domain_size);
  return SearchRange(
      options,
      [&](double range) {
        return accounting::LargestKappa(request.honest, range, /*fakes=*/0, request.epsilon,
                                        request.delta);
      },
      [&](double range, double kappa) {
        return AverageSquaredError(UniversalSupport(range, kappa / (kappa + range)),
                                   request.domain_size, request.submissions);
      });
}

absl::StatusOr<LocalHash> BestOfAnyRange(const LocalHashPlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const RangePoint optimum, BestRealRange(request));
  const uint64_t side = CeilSqrt(static_cast<uint64_t>(request.domain_size));
  const uint64_t prime =
      NextPrime(std::max(side, static_cast<uint64_t>(std::llround(optimum.range))));
  if (static_cast<double>(prime) >= kMaxRange) return BestAffine(request, optimum.range);
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHash plane, WithRange(request, HashFamily::kPlane, prime));
  if (plane.PredictedMse(request.submissions) <= kPlaneTolerance * optimum.error) return plane;
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHash affine, BestAffine(request, optimum.range));
  return Better(request, plane, affine);
}

}  // namespace

absl::StatusOr<LocalHashOptions> PlanLocalHash(const LocalHashPlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(Validate(request));
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHash best, request.range.has_value()
                                                     ? BestOfGivenRange(request)
                                                     : BestOfAnyRange(request));
  return best.options();
}

}  // namespace tombola::mechanism
