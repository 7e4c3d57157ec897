#include "common/accounting/correlated.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/noise_search.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/mechanism/cluster_tail.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/count_table.h"
#include "common/mechanism/spread_noise.h"
#include "common/plan/planners.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {
namespace {

// noise_epsilon over its limit, half of epsilon for one cell: what the estimate's noise may use.
constexpr double kMostShare = 0.9;
constexpr double kLeastShare = 0.3;
constexpr double kShareStep = 0.01;
// 1 - p at the ends of what a task can name.
constexpr double kLeastRest = 0x1p-16;
constexpr double kMostRest = 1 - 0x1p-20;
constexpr double kLargestCap = 65534;
// Expected clusters for one value in a batch, generously: for the cost of tables, before they are
// known.
constexpr double kClustersForOneValue = 200;

double EpsilonOf(const PlanRequest& request) {
  return std::min(request.epsilon, kLargestUsedEpsilon);
}

double TableCost(const PlanRequest& request) {
  const double draws = 3 * static_cast<double>(request.honest) +
                       kClustersForOneValue * static_cast<double>(request.domain_size);
  return DifferenceCharge(2 * CountTable::kError * draws, EpsilonOf(request));
}

// success / 2^64 = 1 - rest, rounded up.
uint64_t SuccessFor(double rest) {
  return -static_cast<uint64_t>(std::ldexp(std::clamp(rest, kLeastRest, kMostRest), 64));
}

// A little more than a mechanism with this noise needs, for rounding.
double Messages(const accounting::CorrelatedNoise& noise, const PlanRequest& request) {
  const double values = static_cast<double>(request.domain_size);
  const double honest = static_cast<double>(request.honest);
  return (static_cast<double>(request.filling.sent) +
          accounting::ExpectedMessages(noise) * values / honest) *
         (1 + 1e-6);
}

// The largest noise_epsilon that a flood leaves room for.
absl::StatusOr<double> NoiseLimit(const PlanRequest& request, double delta) {
  const double epsilon = EpsilonOf(request);
  if (request.filling.sent == 1) return epsilon / 2;
  return accounting::LargestNoiseEpsilon(epsilon, delta, request.filling.sent);
}

absl::StatusOr<accounting::CorrelatedNoise> NoiseWith(double share, const PlanRequest& request,
                                                      double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const double limit, NoiseLimit(request, delta));
  return accounting::SmallestFlood(share * limit, EpsilonOf(request), delta, request.filling.sent,
                                   request.work);
}

// The largest share that is worth trying. A flood of the best success probability, whose 1 - p is
// about half of what is left of epsilon, exceeds a number of messages by the cap's probability only
// if e^(-(1 - p)/2) to that number is about as small.
absl::StatusOr<double> LargestShare(const PlanRequest& request, const DeltaShares& shares) {
  const double epsilon = EpsilonOf(request);
  const double nats =
      std::log((1 + std::exp(epsilon)) * static_cast<double>(request.honest) / shares.draws);
  TOMBOLA_ASSIGN_OR_RETURN(const double limit, NoiseLimit(request, shares.noise));
  const double share = std::min(kMostShare, 1 - 2 * nats / (kLargestCap * limit));
  if (share >= kLeastShare) return share;
  return absl::FailedPreconditionError(
      absl::StrCat("epsilon ", request.epsilon, " is too small for ", Correlated::kName,
                   ": it would need more than ", kLargestCap, " messages of some submissions"));
}

// The largest share of epsilon, within kShareStep, whose messages are as few as allowed.
absl::StatusOr<accounting::CorrelatedNoise> NoiseFor(const PlanRequest& request,
                                                     const DeltaShares& shares) {
  const double delta = shares.noise;
  TOMBOLA_ASSIGN_OR_RETURN(double high, LargestShare(request, shares));
  TOMBOLA_ASSIGN_OR_RETURN(accounting::CorrelatedNoise best, NoiseWith(high, request, delta));
  if (Messages(best, request) <= request.max_messages) return best;
  TOMBOLA_ASSIGN_OR_RETURN(best, NoiseWith(kLeastShare, request, delta));
  if (Messages(best, request) > request.max_messages) {
    return absl::FailedPreconditionError(
        absl::StrCat(Correlated::kName, " needs at least ", Messages(best, request),
                     " messages a submission; the cap is ", request.max_messages));
  }
  double low = kLeastShare;
  while (high - low > kShareStep) {
    const double middle = (low + high) / 2;
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise,
                             NoiseWith(middle, request, delta));
    if (Messages(noise, request) <= request.max_messages) {
      low = middle;
      best = noise;
    } else {
      high = middle;
    }
  }
  return best;
}

// For more than a few cells Poisson noise is far better, and planning a flood takes seconds: that
// is left out where nobody asked for it and messages are not scarce.
absl::Status RefuseDominated(const PlanRequest& request, double delta) {
  constexpr double kFarWorse = 1.5;
  if (request.dominated || request.filling.sent == 1 || std::isfinite(request.max_messages)) {
    return absl::OkStatus();
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double limit, NoiseLimit(request, delta));
  TOMBOLA_ASSIGN_OR_RETURN(
      const double mean,
      accounting::SmallestPoissonMean(request.epsilon, delta, request.filling.sent, request.work));
  const double rest = -std::expm1(-kMostShare * limit);
  const double times = 2 * (1 - rest) / (rest * rest) / mean;
  if (times < kFarWorse) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("correlated noise has at least ", RoundedDown(times, 2),
                   " times the variance of pure_dump's for ", request.filling.sent,
                   " cells of a device; --mechanism correlated plans it all the same"));
}

// The clusters of one submission that make this shape on each value for all honest ones.
absl::StatusOr<uint64_t> ClusterRate(double shape, uint64_t success, const PlanRequest& request) {
  const double log_rest = LogarithmicSuccess::Of(success).log_rest;
  const double values = static_cast<double>(request.domain_size);
  return RateFor(Correlated::kName, request,
                 shape * values * -log_rest / static_cast<double>(request.honest));
}

}  // namespace

absl::StatusOr<DeltaShares> CorrelatedShares(const PlanRequest& request) {
  return ShareDelta(request, TableCost(request));
}

absl::StatusOr<Correlated> CorrelatedWith(const accounting::CorrelatedNoise& noise, double draws,
                                          const PlanRequest& request) {
  CorrelatedOptions options;
  options.noise_success = SuccessFor(-std::expm1(-noise.noise_epsilon));
  options.flood_success = SuccessFor(1 - noise.flood);
  TOMBOLA_ASSIGN_OR_RETURN(options.noise_rate,
                           ClusterRate(/*shape=*/1, options.noise_success, request));
  TOMBOLA_ASSIGN_OR_RETURN(options.flood_rate,
                           ClusterRate(noise.shape, options.flood_success, request));
  options.honest = request.honest;
  options.domain_size = request.domain_size;
  options.filling = request.filling;
  TOMBOLA_ASSIGN_OR_RETURN(options.max_noise, SmallestCap(
                                                  Correlated::kName, request,
                                                  [&](int64_t cap) {
                                                    CorrelatedOptions capped = options;
                                                    capped.max_noise = cap;
                                                    const double above = AboveCap(capped);
                                                    return DifferenceCharge(
                                                        static_cast<double>(request.honest) * above,
                                                        EpsilonOf(request));
                                                  },
                                                  draws - TableCost(request)));
  return Correlated::Create(options);
}

template <>
PlannedMechanism Plan<Correlated>(const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(RefuseLocalCap(Correlated::kName, request));
  if (request.method == Method::kPublished) {
    return absl::FailedPreconditionError(absl::StrCat(Correlated::kName, " has no published form"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, CorrelatedShares(request));
  TOMBOLA_RETURN_IF_ERROR(RefuseDominated(request, shares.noise));
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::CorrelatedNoise noise, NoiseFor(request, shares));
  return Planned(CorrelatedWith(noise, shares.draws, request), request);
}

}  // namespace tombola::mechanism
