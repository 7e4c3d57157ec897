#include "common/plan/longitudinal.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/submission_loss.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/table/hash_family.h"

namespace tombola::mechanism {
namespace {

constexpr double kCloseness = 5e-4;
// Of delta, for losses of one report that are not looked at.
constexpr double kNegligibleShare = 1e-3;
constexpr int64_t kMostOfDevice = 1000;
constexpr int kDigits = 4;

using Planned = std::shared_ptr<const Mechanism>;

LongitudinalCandidate CandidateOf(Planned mechanism, const PlanRequest& plan, double epsilon) {
  LongitudinalCandidate made{.candidate = {.name = std::string(mechanism->name()),
                                           .feasible = true,
                                           .mse = mechanism->PredictedMse(plan.submissions)},
                             .epsilon = epsilon};
  made.candidate.mechanism = std::move(mechanism);
  return made;
}

// What PlanOne makes for one report of this epsilon; absent where all together miss the target.
absl::StatusOr<Planned> Meeting(absl::string_view name, const LongitudinalRequest& request,
                                double epsilon) {
  PlanRequest one = request.plan;
  one.epsilon = epsilon;
  TOMBOLA_ASSIGN_OR_RETURN(Planned planned, PlanOne(name, one));
  const double reports = static_cast<double>(request.reports);
  TOMBOLA_ASSIGN_OR_RETURN(
      const accounting::SubmissionLoss loss,
      planned->Loss(one.honest, kNegligibleShare * request.plan.delta / reports));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                           accounting::DeltaOver(loss, request.reports, request.plan.epsilon));
  return delta <= request.plan.delta ? planned : nullptr;
}

absl::StatusOr<PlanRequest> MemoRequest(absl::string_view name,
                                        const LongitudinalRequest& request) {
  PlanRequest plan = request.plan;
  // Of one value, a hair below so that rounding does not matter, and with nobody to hide among.
  plan.epsilon = request.plan.epsilon / static_cast<double>(request.values) * (1 - 1e-9);
  plan.honest = 1;
  plan.max_local_epsilon = plan.epsilon;
  if (name == Rappor::kName && !plan.rappor.prr.has_value()) {
    const double hashes = static_cast<double>(plan.rappor.hashes.value_or(1));
    const double budget = plan.epsilon * (1 - 1e-9);
    plan.rappor.prr = 2 / (std::exp(budget / (2 * hashes)) + 1);
    plan.rappor.irr_p = 0;
    plan.rappor.irr_q = 1;
  }
  return plan;
}

uint64_t PrimeFrom(double least) {
  auto prime = static_cast<uint64_t>(std::ceil(least));
  while (!IsPrime(prime)) ++prime;
  return prime;
}

// Of the smallest plane that holds the domain and of the one nearest to e^epsilon + 1 buckets,
// which are best where nothing is shuffled, the one with less error.
absl::StatusOr<Planned> PlanOnPlane(PlanRequest plan) {
  const double side = std::sqrt(static_cast<double>(plan.domain_size));
  plan.range = PrimeFrom(std::max(2.0, side));
  TOMBOLA_ASSIGN_OR_RETURN(Planned small, PlanOne(LocalHash::kName, plan));
  plan.range = PrimeFrom(std::max(side, std::min(std::exp(plan.epsilon) + 1, 1e6)));
  TOMBOLA_ASSIGN_OR_RETURN(Planned wide, PlanOne(LocalHash::kName, plan));
  const bool smaller =
      small->PredictedMse(plan.submissions) <= wide->PredictedMse(plan.submissions);
  return smaller ? std::move(small) : std::move(wide);
}

}  // namespace

const std::vector<absl::string_view>& FreshMechanisms() {
  static const auto& names =
      *new std::vector<absl::string_view>{Grr::kName, LocalHash::kName, PureDump::kName};
  return names;
}

const std::vector<absl::string_view>& MemoMechanisms() {
  static const auto& names = *new std::vector<absl::string_view>{Grr::kName, LocalHash::kName};
  return names;
}

absl::Status ValidateLongitudinal(const LongitudinalRequest& request) {
  if (request.reports < 2 || request.reports > kMostOfDevice) {
    return absl::InvalidArgumentError(absl::StrCat("submissions_per_device is ", request.reports,
                                                   "; it must be in [2, ", kMostOfDevice,
                                                   "] with longitudinal"));
  }
  if (request.values < 1 || request.values > request.reports) {
    return absl::InvalidArgumentError(absl::StrCat("distinct_values is ", request.values,
                                                   "; it must be in [1, submissions_per_device], ",
                                                   request.reports));
  }
  if (request.plan.filling != Filling()) {
    return absl::InvalidArgumentError("longitudinal is for histograms");
  }
  return absl::OkStatus();
}

absl::StatusOr<LongitudinalCandidate> PlanFresh(absl::string_view name,
                                                const LongitudinalRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(ValidateLongitudinal(request));
  if (name == Rappor::kName) {
    return absl::FailedPreconditionError("rappor keeps its memo: it is for longitudinal memo");
  }
  // Basic composition, at a part of delta each, would be a little less than this.
  double low = request.plan.epsilon / static_cast<double>(request.reports) / 2;
  double high = request.plan.epsilon;
  TOMBOLA_ASSIGN_OR_RETURN(Planned best, Meeting(name, request, low));
  if (best == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(name, " does not meet the target over ",
                                                      request.reports, " reports of a device"));
  }
  while (high > low * (1 + kCloseness)) {
    const double middle = std::sqrt(low * high);
    absl::StatusOr<Planned> planned = Meeting(name, request, middle);
    if (planned.ok() && *planned != nullptr) {
      best = *std::move(planned);
      low = middle;
    } else {
      high = middle;
    }
  }
  return CandidateOf(std::move(best), request.plan, low);
}

absl::StatusOr<LongitudinalCandidate> PlanMemo(absl::string_view name,
                                               const LongitudinalRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(ValidateLongitudinal(request));
  if (name != Grr::kName && name != LocalHash::kName && name != Rappor::kName) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, " has nothing that a device could keep: memos are for grr, local_hash and rappor"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const PlanRequest plan, MemoRequest(name, request));
  TOMBOLA_ASSIGN_OR_RETURN(Planned planned, name == LocalHash::kName && !plan.range.has_value()
                                                ? PlanOnPlane(plan)
                                                : PlanOne(name, plan));
  const auto memo = planned->memo_epsilon();
  if (!memo.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, " would draw a hash function that names the device: the plane is for fewer values"));
  }
  if (!(*memo <= request.plan.epsilon / static_cast<double>(request.values))) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, " has epsilon ", RoundedUp(*memo, kDigits), " of a memo by these responses"));
  }
  return CandidateOf(std::move(planned), request.plan, request.plan.epsilon);
}

}  // namespace tombola::mechanism
