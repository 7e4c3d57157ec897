#include "common/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/accounting/blanket.h"
#include "common/base/check.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/plan/planners.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

using Planned = PlannedMechanism;

struct Planner {
  absl::string_view name;
  Planned (*plan)(const PlanRequest& request);
  ChosenNumbers chosen;
  Sends sends;
  bool fills_twice;
  bool only_by_name;
};

const auto kPlanners = ForEvery([]<typename M>(std::type_identity<M>) {
  return Planner{.name = M::kName,
                 .plan = &Plan<M>,
                 .chosen = kChosen<M>,
                 .sends = kSends<M>,
                 .fills_twice = kFillsTwice<M>,
                 .only_by_name = kOnlyByName<M>};
});

template <typename Number>
absl::Status OutOfBounds(absl::string_view field, Number value, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " is ", value, "; it must be ", bound));
}

absl::Status ValidateSizes(const PlanRequest& request) {
  if (request.honest < 1 || request.honest > accounting::kLargestBatch) {
    return OutOfBounds("honest", request.honest, "in [1, 2^40]");
  }
  if (request.submissions < request.honest) {
    return OutOfBounds("submissions", request.submissions,
                       absl::StrCat("at least honest, which is ", request.honest));
  }
  if (!ValidateDomain(request.domain_size).ok()) {
    return OutOfBounds("domain_size", request.domain_size, kDomainBound);
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(request.filling, request.domain_size));
  if (!(request.frequency >= 0 && request.frequency <= 1)) {
    return OutOfBounds("frequency", request.frequency, "in [0, 1]");
  }
  return absl::OkStatus();
}

absl::Status ValidateTarget(const PlanRequest& request) {
  if (!(request.epsilon > 0) || !std::isfinite(request.epsilon)) {
    return OutOfBounds("epsilon", request.epsilon, "positive and finite");
  }
  if (!(request.delta > 0 && request.delta < 1)) {
    return OutOfBounds("delta", request.delta, "in (0, 1)");
  }
  if (!(request.max_local_epsilon > 0)) {
    return OutOfBounds("max_local_epsilon", request.max_local_epsilon, "positive");
  }
  if (!(request.max_messages >= 1)) {
    return OutOfBounds("max_messages", request.max_messages, "at least 1");
  }
  return absl::OkStatus();
}

absl::Status ValidateParameters(const PlanRequest& request) {
  if (request.range.has_value()) {
    TOMBOLA_RETURN_IF_ERROR(ValidateRange(*request.range, request.domain_size));
  }
  if (request.fakes.has_value() && (*request.fakes < 1 || *request.fakes > Murs::kMaxFakes)) {
    return OutOfBounds("fakes", *request.fakes, "in [1, 2^32]");
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateRappor(request));
  if (request.dummies.has_value() && !(*request.dummies > 0 && std::isfinite(*request.dummies))) {
    return OutOfBounds("dummies", *request.dummies, "positive and finite");
  }
  return absl::OkStatus();
}

absl::Status Validate(const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(ValidateSizes(request));
  // A caller's own, from no request that comes from outside.
  TOMBOLA_CHECK(request.levels.empty() ||
                static_cast<int64_t>(request.levels.size()) == request.filling.sent);
  TOMBOLA_RETURN_IF_ERROR(ValidateTarget(request));
  return ValidateParameters(request);
}

// What every plan promises, seen once more where nothing has been rounded since.
absl::Status Check(const PlanRequest& request, const Mechanism& planned) {
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, planned.Delta(request.honest, request.epsilon));
  if (!(delta <= request.delta)) {
    return absl::InternalError(
        absl::StrCat("the planned parameters have delta ", RoundedUp(delta, 6)));
  }
  if (!(planned.local_epsilon() <= request.max_local_epsilon)) {
    return absl::InternalError(absl::StrCat("the planned parameters have local epsilon ",
                                            RoundedUp(planned.local_epsilon(), 6)));
  }
  if (!(planned.count_model().support.holder > planned.count_model().support.other)) {
    return absl::FailedPreconditionError(
        "epsilon is so small that reports could not depend on values; raise it or the submissions");
  }
  return absl::OkStatus();
}

absl::Status CheckFilling(const Planner& planner, const PlanRequest& request) {
  const Filling& filling = request.filling;
  if (filling == Filling()) return absl::OkStatus();
  if (planner.sends == Sends::kOneCell) {
    return absl::FailedPreconditionError(
        absl::StrCat(planner.name, " is for devices that fill one cell"));
  }
  if (filling.units > 1 && !planner.fills_twice) {
    return absl::FailedPreconditionError(absl::StrCat("nothing is proven for ", planner.name,
                                                      " where a device fills one cell ",
                                                      filling.units, " times"));
  }
  if (planner.sends == Sends::kAllCells && filling.sent != filling.held) {
    return absl::FailedPreconditionError(
        absl::StrCat(planner.name, " sends all ", filling.held, " cells of a device"));
  }
  if (request.method == Method::kPublished) {
    return absl::FailedPreconditionError(
        absl::StrCat(planner.name, " has no published form for several cells"));
  }
  return absl::OkStatus();
}

double ErrorOf(const Mechanism& mechanism, const PlanRequest& request) {
  if (request.filling.held == 1) return mechanism.PredictedMse(request.submissions);
  return EstimateVariance(mechanism.count_model(),
                          {.submissions = request.submissions, .fakes = mechanism.fakes()},
                          request.frequency);
}

Planned PlanValid(const Planner& planner, PlanRequest request, accounting::Work* work) {
  TOMBOLA_RETURN_IF_ERROR(CheckFilling(planner, request));
  request.work = work;
  Planned plan = planner.plan(request);
  if (absl::IsResourceExhausted(plan.status())) {
    if (!work->exhausted()) {
      return absl::FailedPreconditionError(
          absl::StrCat(planner.name, " ", plan.status().message(), " beside the others"));
    }
    return absl::FailedPreconditionError(
        absl::StrCat(planner.name, " ", plan.status().message(), ": epsilon is too small for ",
                     request.filling.sent, " cells of ", request.honest, " honest submissions"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(std::shared_ptr<const Mechanism> planned, std::move(plan));
  TOMBOLA_RETURN_IF_ERROR(Check(request, *planned));
  return planned;
}

Candidate CandidateOf(const Planner& planner, const PlanRequest& request) {
  Candidate candidate{.name = std::string(planner.name)};
  if (request.filling.held > 1) candidate.sent = request.filling.sent;
  accounting::Work work(request.most_work, request.all_work);
  Planned planned = PlanValid(planner, request, &work);
  candidate.work = work.points();
  candidate.looks = work.looks();
  if (!planned.ok()) {
    candidate.reason = std::string(planned.status().message());
    return candidate;
  }
  candidate.mechanism = *std::move(planned);
  candidate.feasible = true;
  candidate.mse = ErrorOf(*candidate.mechanism, request);
  if (candidate.mechanism->local_epsilon() <= request.epsilon) {
    candidate.reason = "local: meets the target without the shuffle, by local epsilon alone";
  }
  return candidate;
}

// Replacing one value moves two counts by one: noise of scale 2/epsilon, of variance 8/epsilon^2;
// of several cells as many times two.
Candidate Laplace(const PlanRequest& request) {
  const double scaled = request.epsilon * static_cast<double>(request.submissions) /
                        static_cast<double>(request.filling.held);
  return {.name = "laplace",
          .feasible = true,
          .central = true,
          .reason = "central: needs a trusted party that sees every value",
          .mse = 8 / (scaled * scaled)};
}

// All first, then the other divisors, falling: what is not tried says why once.
std::vector<int64_t> SentNumbers(const Planner& planner, const Filling& filling) {
  const int64_t held = filling.held;
  std::vector<int64_t> numbers = {held};
  if (planner.sends != Sends::kSomeCells || filling.units > 1) return numbers;
  for (int64_t sent = held - 1; sent >= 1; --sent) {
    if (held % sent == 0) numbers.push_back(sent);
  }
  return numbers;
}

}  // namespace

ChosenNumbers ChosenBy(absl::string_view name) {
  for (const Planner& planner : kPlanners) {
    if (planner.name == name) return planner.chosen;
  }
  return {};
}

bool OnlyByName(absl::string_view name) {
  return std::any_of(kPlanners.begin(), kPlanners.end(), [&](const Planner& planner) {
    return planner.name == name && planner.only_by_name;
  });
}

Planned PlanOne(absl::string_view name, const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(Validate(request));
  for (const Planner& planner : kPlanners) {
    accounting::Work work(request.most_work, request.all_work);
    if (planner.name == name) return PlanValid(planner, request, &work);
  }
  return OutOfBounds("mechanism", name,
                     absl::StrCat("one of ", absl::StrJoin(MechanismNames(), ", ")));
}

absl::StatusOr<Candidate> PlanCandidate(absl::string_view name, const PlanRequest& request) {
  Candidate candidate{.name = std::string(name)};
  if (request.filling.held > 1) candidate.sent = request.filling.sent;
  Planned planned = PlanOne(name, request);
  if (absl::IsInvalidArgument(planned.status())) return planned.status();
  candidate.feasible = planned.ok();
  if (planned.ok()) {
    candidate.mechanism = *std::move(planned);
  } else {
    candidate.reason = std::string(planned.status().message());
  }
  return candidate;
}

absl::StatusOr<std::vector<Candidate>> PlanAll(const PlanRequest& request, absl::string_view only) {
  TOMBOLA_RETURN_IF_ERROR(Validate(request));
  std::vector<Candidate> candidates;
  for (const Planner& planner : kPlanners) {
    if (only.empty() ? planner.only_by_name : planner.name != only) continue;
    for (const int64_t sent : SentNumbers(planner, request.filling)) {
      PlanRequest with = request;
      with.filling.sent = sent;
      with.dominated = !only.empty();
      candidates.push_back(CandidateOf(planner, with));
    }
  }
  if (only.empty()) candidates.push_back(Laplace(request));
  return candidates;
}

std::string RefusedByUsualDevices(const Mechanism& mechanism) {
  const int64_t most = mechanism.max_reports_per_submission();
  if (most <= kUsualMostReports) return "";
  return absl::StrCat("a submission may have ", most,
                      " messages, and a usual device's policy allows ", kUsualMostReports,
                      "; --max-messages asks for what you want");
}

const Candidate* Recommended(const std::vector<Candidate>& candidates, Left left, double alike) {
  const auto eligible = [&](const Candidate& candidate) {
    return candidate.feasible && !candidate.central &&
           (left == Left::kAnything || std::isfinite(candidate.mechanism->local_epsilon()));
  };
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : candidates) {
    if (eligible(candidate)) least = std::min(least, candidate.mse);
  }
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (!eligible(candidate) || candidate.mse > alike * least) continue;
    const auto rank = [](const Candidate& of) {
      return std::pair(of.mechanism->expected_reports_per_submission(), of.mse);
    };
    if (best == nullptr || rank(candidate) < rank(*best)) best = &candidate;
  }
  return best;
}

}  // namespace tombola::mechanism
