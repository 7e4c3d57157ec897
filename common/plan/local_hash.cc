#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/accounting/gaussian.h"
#include "common/base/status_macros.h"
#include "common/plan/blanket.h"
#include "common/plan/planners.h"
#include "common/plan/range_search.h"
#include "common/table/count_model.h"
#include "common/table/hash_family.h"
#include "common/table/support.h"

namespace tombola::mechanism {
namespace {

constexpr double kMaxRange = 2147483648.0;
// How much of the error the plane may cost over a range that is free to be any real number.
constexpr double kPlaneTolerance = 1.01;

// What is planned, and for how many fakes.
struct Goal {
  const PlanRequest& request;
  int64_t fakes;

  // The predicted error; `range` buckets also say how likely a fake supports a value.
  double Error(const Support& support, double range) const {
    return AverageSquaredError({.support = support, .fake_support = 1 / range}, request.domain_size,
                               {.submissions = request.submissions, .fakes = fakes});
  }
};

struct Choice {
  LocalHashOptions options;
  double error = std::numeric_limits<double>::infinity();
};

uint64_t SideOf(int64_t domain_size) { return CeilSqrt(static_cast<uint64_t>(domain_size)); }

bool FitsPlane(uint64_t range, int64_t domain_size) {
  return range >= SideOf(domain_size) && static_cast<double>(range) < kMaxRange && IsPrime(range);
}

bool FitsAffine(uint64_t range) {
  return range >= 2 && static_cast<double>(range) <= kMaxRange && std::has_single_bit(range);
}

uint32_t LaneBits(HashFamily family, uint64_t range, int64_t domain_size) {
  if (family == HashFamily::kPlane) return 0;
  const int needed =
      std::bit_width(static_cast<uint64_t>(domain_size - 1)) + std::countr_zero(range);
  return needed <= 32 ? 32 : 64;
}

// This family and range with the least blanket that was seen to meet the target.
absl::StatusOr<Choice> WithRange(const Goal& goal, HashFamily family, uint64_t range) {
  const auto buckets = static_cast<double>(range);
  const Meanings meanings{buckets, goal.fakes, CollisionOf(family, buckets)};
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, AllowedKappa(goal.request, meanings));
  Choice choice;
  choice.options.family = family;
  choice.options.range = range;
  TOMBOLA_ASSIGN_OR_RETURN(choice.options.blanket_threshold,
                           MeetingThreshold(goal.request, meanings, kappa));
  choice.options.lane_bits = LaneBits(family, range, goal.request.domain_size);
  choice.options.domain_size = goal.request.domain_size;
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHash made, LocalHash::Create(choice.options));
  choice.error = goal.Error(made.support(), buckets);
  return choice;
}

absl::StatusOr<Choice> OfGivenRange(const Goal& goal, uint64_t range) {
  const bool plane = FitsPlane(range, goal.request.domain_size);
  return WithRange(goal, plane ? HashFamily::kPlane : HashFamily::kAffine, range);
}

// The power of two below or above.
absl::StatusOr<Choice> BestAffine(const Goal& goal, double range) {
  const uint64_t below = std::bit_floor(static_cast<uint64_t>(range));
  TOMBOLA_ASSIGN_OR_RETURN(const Choice least, WithRange(goal, HashFamily::kAffine, below));
  if (static_cast<double>(below) == kMaxRange) return least;
  TOMBOLA_ASSIGN_OR_RETURN(const Choice most, WithRange(goal, HashFamily::kAffine, 2 * below));
  return most.error < least.error ? most : least;
}

// The range that Theorem 1 of HP-SDP goes with, if neither the cap nor the local mechanism is what
// decides.
absl::StatusOr<std::optional<RangePoint>> PublishedRange(const Goal& goal) {
  TOMBOLA_ASSIGN_OR_RETURN(const double cover, PublishedCover(goal.request));
  const double k = static_cast<double>(goal.request.honest - 1) / cover;
  const double range = (k + 2) / 3;
  const double kappa = k - range;
  if (goal.fakes > 0 || range < 2 || range > kMaxRange) return std::nullopt;
  if (kappa < KappaAlone(goal.request) || kappa > KappaCap(goal.request)) return std::nullopt;
  return RangePoint{range, kappa, goal.Error(UniversalSupport(range, kappa / k), range)};
}

absl::StatusOr<RangePoint> BestRange(const Goal& goal) {
  const PlanRequest& request = goal.request;
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(request.epsilon, request.delta));
  RangeSearchOptions options;
  options.most = kMaxRange;
  options.always = KappaAlone(request);
  options.cap = KappaCap(request);
  options.blanket = static_cast<double>(request.honest) * theta * theta / 2;
  options.domain_size = static_cast<double>(request.domain_size);
  return SearchRange(
      options,
      [&](double range) {
        return AllowedKappa(request, Meanings{range, goal.fakes, 1 / range});
      },
      [&](double range, double kappa) {
        return goal.Error(UniversalSupport(range, kappa / (kappa + range)), range);
      });
}

absl::StatusOr<RangePoint> RealRange(const Goal& goal) {
  if (goal.request.method == Method::kPublished) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::optional<RangePoint> published, PublishedRange(goal));
    if (published.has_value()) return *published;
  }
  return BestRange(goal);
}

absl::StatusOr<Choice> OfAnyRange(const Goal& goal) {
  TOMBOLA_ASSIGN_OR_RETURN(const RangePoint wanted, RealRange(goal));
  const uint64_t prime = NextPrime(std::max(SideOf(goal.request.domain_size),
                                            static_cast<uint64_t>(std::llround(wanted.range))));
  if (static_cast<double>(prime) >= kMaxRange) return BestAffine(goal, wanted.range);
  TOMBOLA_ASSIGN_OR_RETURN(const Choice plane, WithRange(goal, HashFamily::kPlane, prime));
  if (plane.error <= kPlaneTolerance * wanted.error) return plane;
  TOMBOLA_ASSIGN_OR_RETURN(const Choice affine, BestAffine(goal, wanted.range));
  return affine.error < plane.error ? affine : plane;
}

}  // namespace

absl::Status ValidateRange(uint64_t range, int64_t domain_size) {
  if (FitsPlane(range, domain_size) || FitsAffine(range)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("range is ", range, "; it must be a prime in [",
                                                 SideOf(domain_size),
                                                 ", 2^31) or a power of two in [2, 2^31]"));
}

absl::StatusOr<LocalHashOptions> PlanHashing(const PlanRequest& request, int64_t fakes) {
  const Goal goal{request, fakes};
  TOMBOLA_ASSIGN_OR_RETURN(const Choice best, request.range.has_value()
                                                  ? OfGivenRange(goal, *request.range)
                                                  : OfAnyRange(goal));
  return best.options;
}

template <>
PlannedMechanism Plan<LocalHash>(const PlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options, PlanHashing(request, /*fakes=*/0));
  TOMBOLA_ASSIGN_OR_RETURN(LocalHash planned, LocalHash::Create(options));
  return std::make_shared<const LocalHash>(std::move(planned));
}

}  // namespace tombola::mechanism
