#include "common/mechanism/mix_dump.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/crossing.h"
#include "common/accounting/dummies.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/published.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/mechanism/count_table.h"
#include "common/plan/blanket.h"
#include "common/plan/planners.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {
namespace {

constexpr double kKappaGrid = 2e-5;   // in ln kappa
constexpr double kGuessError = 0.01;  // relative, of a fixed number of dummies as a guess

absl::StatusOr<double> DummiesForEachValue(const PlanRequest& request) {
  if (request.dummies.has_value()) return *request.dummies;
  TOMBOLA_ASSIGN_OR_RETURN(
      const double mean,
      accounting::SmallestPoissonMean(request.epsilon, request.delta, /*cells=*/1, request.work));
  return mean / 2;
}

// Dummies of which request.honest submissions send at least so many of every value on average, with
// the smallest cap that costs next to nothing in delta.
absl::StatusOr<DummyOptions> SizeDummies(const PlanRequest& request, double for_each_value) {
  const auto honest = static_cast<double>(request.honest);
  const double in_all = for_each_value * static_cast<double>(request.domain_size);
  if (in_all > accounting::kLargestDeviation * accounting::kLargestDeviation) {
    return absl::FailedPreconditionError(
        absl::StrCat("mix_dump needs ", in_all, " dummies in all, more than are accounted for"));
  }
  const double tables = honest * CountTable::kError;
  TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, ShareDelta(request, tables));
  DummyOptions options{.honest = request.honest};
  TOMBOLA_ASSIGN_OR_RETURN(options.rate, RateFor(MixDump::kName, request, in_all / honest));
  const CountTable table = CountTable::Poisson(options.rate);
  TOMBOLA_ASSIGN_OR_RETURN(
      options.max,
      SmallestCap(
          MixDump::kName, request,
          [&](int64_t cap) { return table.Above(static_cast<uint32_t>(cap)) * honest; },
          shares.draws - tables));
  return options;
}

// The largest kappa at which DummiesDelta was evaluated and left room for what the cap costs.
absl::StatusOr<double> SearchKappa(const PlanRequest& request, const Dummies& dummies) {
  const auto range = static_cast<double>(request.domain_size);
  const double mean = dummies.TotalMean(request.honest);
  const double target = request.delta - dummies.Charge(request.honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, accounting::PoissonNoise(mean));
  TOMBOLA_ASSIGN_OR_RETURN(
      const double guess,
      accounting::LargestKappa(
          {.honest = request.honest, .range = range, .fakes = static_cast<int64_t>(mean)},
          request.epsilon, target, request.work));
  const double least = KappaAlone(request) * (1 - 1e-14);
  const auto kappa_of = [least](int64_t index) {
    return least * std::exp(static_cast<double>(index) * kKappaGrid);
  };
  const auto index_of = [least](double kappa) {
    return static_cast<int64_t>(std::floor((std::log(kappa) - std::log(least)) / kKappaGrid));
  };
  accounting::GridRange grid;
  grid.bad_end = std::max<int64_t>(0, index_of(accounting::kLargestKappa));
  grid.start = std::clamp<int64_t>(index_of(guess), 0, grid.bad_end);
  grid.step = static_cast<int64_t>(kGuessError / kKappaGrid);
  absl::Status failure;
  const std::optional<int64_t> found = accounting::FindCrossing(
      [&](int64_t index) {
        // As many looks as the guess took, at a law of both.
        if (request.work != nullptr && failure.ok()) {
          failure = request.work->SpendOfAll(static_cast<int64_t>(law.pmf.size()));
        }
        if (!failure.ok()) return std::numeric_limits<double>::infinity();
        const absl::StatusOr<double> delta = accounting::DummiesDelta(
            {request.honest, range, accounting::GammaOf(range, kappa_of(index))}, law,
            request.epsilon);
        if (!delta.ok()) failure = delta.status();
        return delta.ok() ? std::log(*delta / target) : std::numeric_limits<double>::infinity();
      },
      grid);
  TOMBOLA_RETURN_IF_ERROR(failure);
  return found.has_value() ? kappa_of(*found) : least;
}

absl::StatusOr<double> KappaAmong(const PlanRequest& request, const Dummies& dummies) {
  if (request.method == Method::kPublished) {
    TOMBOLA_ASSIGN_OR_RETURN(const double cover, PublishedCover(request));
    const double kappa = PublishedKappa(request, cover, static_cast<double>(request.domain_size),
                                        dummies.TotalMean(request.honest));
    return std::min(kappa, KappaCap(request));
  }
  if (KappaCap(request) <= KappaAlone(request)) return KappaCap(request);
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, SearchKappa(request, dummies));
  return std::min(kappa, KappaCap(request));
}

}  // namespace

template <>
PlannedMechanism Plan<MixDump>(const PlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const double for_each_value, DummiesForEachValue(request));
  TOMBOLA_ASSIGN_OR_RETURN(const DummyOptions options, SizeDummies(request, for_each_value));
  TOMBOLA_ASSIGN_OR_RETURN(const Dummies dummies, Dummies::Create(options, "mix_dump.dummies."));
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, KappaAmong(request, dummies));
  GrrOptions response{.domain_size = request.domain_size};
  TOMBOLA_ASSIGN_OR_RETURN(
      response.blanket_threshold,
      MeetingThreshold(request, static_cast<double>(request.domain_size), kappa,
                       [&](uint64_t threshold) -> absl::StatusOr<double> {
                         TOMBOLA_ASSIGN_OR_RETURN(
                             const MixDump candidate,
                             MixDump::Create({threshold, request.domain_size}, options));
                         return candidate.Delta(request.honest, request.epsilon);
                       }));
  return Planned(MixDump::Create(response, options), request);
}

}  // namespace tombola::mechanism
