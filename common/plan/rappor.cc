#include "common/mechanism/rappor.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/plan/planners.h"

namespace tombola::mechanism {
namespace {

constexpr int64_t kUsualBits = 128;
// So many seeds are tried, and the best of so many that tell the values apart is taken.
constexpr uint32_t kSeeds = 256;
constexpr int kCompared = 8;
// The budget of a report is searched this closely, in its logarithm: the error changes by as much.
constexpr double kCloseness = 1e-3;
constexpr double kMostBudget = 40;
// The accountant's grid may be some permille off, a little more for one batch than for a smaller
// one: what a plan is for should be met by every larger batch.
constexpr double kShareOfDelta = 0.98;
constexpr int kDigits = 4;

absl::Status Cannot(absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("rappor ", why));
}

int64_t WholeBytes(int64_t bits) { return (bits + 7) / 8 * 8; }

int64_t BitsOf(const PlanRequest& request, int64_t hashes) {
  if (request.rappor.bits.has_value()) return *request.rappor.bits;
  if (hashes == 1) return WholeBytes(request.domain_size);
  return request.domain_size <= kUsualBits / 2 ? kUsualBits : kMostBits;
}

// One report's points of the unary accountant's grid, about.
int64_t PointsOf(int64_t honest) {
  const double wanted = 600 * std::sqrt(static_cast<double>(honest));
  return std::clamp(static_cast<int64_t>(wanted), int64_t{1} << 14, int64_t{1} << 22);
}

// Bits that are kept with 1/2, by reports of this budget, and of all splits into two responses the
// one whose memo says least: the second never turns a 0 into a 1.
accounting::Rappor OfBudget(double budget, const BloomOptions& options) {
  constexpr double kKept = 0.5;
  const double risen = 1 / (std::exp(budget / static_cast<double>(options.hashes)) + 1);
  return {.f = 2 * risen / (kKept + risen),
          .p = 0,
          .q = kKept + risen,
          .hashes = options.hashes,
          .bits = options.bits};
}

// The hashing with the least error among some.
absl::StatusOr<BloomOptions> Seeded(BloomOptions options) {
  if (options.hashes == 1) return options;
  std::optional<BloomOptions> best;
  double least = 0;
  int compared = 0;
  for (uint32_t seed = 0; seed < kSeeds && compared < kCompared; ++seed) {
    options.seed = seed;
    const absl::StatusOr<Rappor> made = Rappor::Create(options);
    if (!made.ok()) continue;
    ++compared;
    const double error = made->PredictedMse(1);
    if (best.has_value() && error >= least) continue;
    best = options;
    least = error;
  }
  if (best.has_value()) return *best;
  return Cannot(absl::StrCat("finds no hashing by which ", options.hashes, " of ", options.bits,
                             " bits tell ", options.domain_size,
                             " values apart: more bits or one hash would mend that"));
}

// Given responses, as they are.
absl::Status CheckGiven(const PlanRequest& request, const Rappor& rappor) {
  if (rappor.local_epsilon() > request.max_local_epsilon) {
    return Cannot(absl::StrCat("has local epsilon ", RoundedUp(rappor.local_epsilon(), kDigits),
                               " by these responses, more than is allowed"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, rappor.Delta(request.honest, request.epsilon));
  if (delta <= request.delta) return absl::OkStatus();
  return Cannot(absl::StrCat("has delta ", RoundedUp(delta, kDigits),
                             " by these responses; more submissions, a larger prr or irr_p and "
                             "irr_q nearer to each other would mend that"));
}

// The largest budget of a report that was seen to meet the target.
absl::StatusOr<double> LargestBudget(const PlanRequest& request, const BloomOptions& options) {
  const auto meets = [&](double budget) -> absl::StatusOr<bool> {
    if (request.work != nullptr) {
      TOMBOLA_RETURN_IF_ERROR(request.work->Spend(PointsOf(request.honest)));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const Rappor rappor,
                             Rappor::Create(WithResponses(options, OfBudget(budget, options))));
    if (rappor.local_epsilon() > request.max_local_epsilon) return false;
    TOMBOLA_ASSIGN_OR_RETURN(const double delta, rappor.Delta(request.honest, request.epsilon));
    return delta <= kShareOfDelta * request.delta;
  };
  // Below both, so that rounding does not matter.
  const double alone = std::min(request.epsilon, request.max_local_epsilon) * (1 - 1e-9);
  double good = std::min(alone, kMostBudget);
  double bad = std::min(request.max_local_epsilon, kMostBudget) * (1 + 2 * kCloseness);
  TOMBOLA_ASSIGN_OR_RETURN(const bool possible, meets(good));
  if (!possible) return Cannot("cannot meet the target");
  for (double next = 2 * good; next < bad; next *= 2) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, meets(next));
    (more ? good : bad) = next;
  }
  while (bad > good * (1 + kCloseness)) {
    const double middle = std::sqrt(good * bad);
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, meets(middle));
    (more ? good : bad) = middle;
  }
  return good;
}

}  // namespace

absl::Status ValidateRappor(const PlanRequest& request) {
  const RapporNumbers& given = request.rappor;
  const auto refused = [](absl::string_view field, auto value, absl::string_view bound) {
    return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, "; it must be ", bound));
  };
  if (given.bits.has_value() &&
      (*given.bits < std::min(request.domain_size, kMostBits) || *given.bits > kMostBits)) {
    return refused("bits", *given.bits,
                   absl::StrCat("at least as many as values, and at most ", kMostBits));
  }
  const int64_t most_hashes = std::min(given.bits.value_or(kMostBits), kMostBitsOfValue);
  if (given.hashes.has_value() && (*given.hashes < 1 || *given.hashes > most_hashes)) {
    return refused("hashes", *given.hashes, absl::StrCat("in [1, ", most_hashes, "]"));
  }
  const int probabilities =
      given.prr.has_value() + given.irr_p.has_value() + given.irr_q.has_value();
  if (probabilities == 0) return absl::OkStatus();
  if (probabilities != 3) {
    return absl::InvalidArgumentError("prr, irr_p and irr_q must be given together");
  }
  if (!(*given.prr > 0 && *given.prr < 1)) return refused("prr", *given.prr, "in (0, 1)");
  if (!(*given.irr_p >= 0 && *given.irr_p < 1)) return refused("irr_p", *given.irr_p, "in [0, 1)");
  if (!(*given.irr_q > *given.irr_p && *given.irr_q <= 1)) {
    return refused("irr_q", *given.irr_q, absl::StrCat("in (", *given.irr_p, ", 1]"));
  }
  return absl::OkStatus();
}

template <>
PlannedMechanism Plan<Rappor>(const PlanRequest& request) {
  if (request.method == Method::kPublished) return Cannot("has no published form");
  if (request.domain_size > kMostBits) {
    return Cannot(absl::StrCat("tells at most ", kMostBits, " values apart, a bit each"));
  }
  const RapporNumbers& given = request.rappor;
  BloomOptions options{.hashes = given.hashes.value_or(1), .domain_size = request.domain_size};
  options.bits = BitsOf(request, options.hashes);
  const bool responses = given.prr.has_value();
  const accounting::Rappor first =
      responses ? accounting::Rappor{.f = *given.prr, .p = *given.irr_p, .q = *given.irr_q}
                : OfBudget(std::min(request.epsilon, kMostBudget), options);
  // Which hashing is best does not depend on the responses by much.
  TOMBOLA_ASSIGN_OR_RETURN(options, Seeded(WithResponses(options, first)));
  if (!responses) {
    TOMBOLA_ASSIGN_OR_RETURN(const double budget, LargestBudget(request, options));
    options = WithResponses(options, OfBudget(budget, options));
  }
  TOMBOLA_ASSIGN_OR_RETURN(Rappor planned, Rappor::Create(options));
  if (responses) TOMBOLA_RETURN_IF_ERROR(CheckGiven(request, planned));
  return std::make_shared<const Rappor>(std::move(planned));
}

}  // namespace tombola::mechanism
