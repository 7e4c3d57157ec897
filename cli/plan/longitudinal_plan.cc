#include "cli/plan/longitudinal_plan.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/plan/longitudinal.h"

namespace tombola::cli {
namespace {

using mechanism::LongitudinalCandidate;
using mechanism::LongitudinalRequest;

constexpr const char* kNotHidden =
    "memos hold against everybody, and hide neither whether nor when the value changes";

struct Way {
  std::string mode;
  LongitudinalCandidate made;
};

// All that is feasible; why the others are not goes to *reasons.
absl::Status Collect(const std::string& mode, const LongitudinalRequest& request,
                     const std::string& only, std::vector<Way>* ways,
                     std::vector<std::string>* reasons) {
  const bool memo = mode == "memo";
  std::vector<absl::string_view> names =
      memo ? mechanism::MemoMechanisms() : mechanism::FreshMechanisms();
  if (!only.empty()) names = {only};
  for (const absl::string_view name : names) {
    auto made = memo ? mechanism::PlanMemo(name, request) : mechanism::PlanFresh(name, request);
    if (absl::IsInvalidArgument(made.status())) return made.status();
    if (made.ok()) {
      ways->push_back({mode, *std::move(made)});
    } else {
      reasons->push_back(absl::StrCat(mode, " ", name, ": ", made.status().message()));
    }
  }
  return absl::OkStatus();
}

const Way* Best(const std::vector<Way>& ways, absl::string_view mode) {
  const Way* best = nullptr;
  for (const Way& way : ways) {
    if (!mode.empty() && way.mode != mode) continue;
    if (best == nullptr || way.made.candidate.mse < best->made.candidate.mse) best = &way;
  }
  return best;
}

// Memos have V/n of a share in each period, fresh noise Lambda/n^2: below Lambda/V devices, with
// both as they are now, memos are better in one period.
std::string Verdict(const std::vector<Way>& ways, const LongitudinalRequest& request) {
  const Way* const fresh = Best(ways, "fresh");
  const Way* const memo = Best(ways, "memo");
  if (fresh == nullptr || memo == nullptr) return "";
  const bool better = memo->made.candidate.mse < fresh->made.candidate.mse;
  return absl::StrFormat(
      "For %d devices over %d periods %s less error in one period. Errors of fresh noise are "
      "independent: a mean over w periods has 1/sqrt(w) of them, while a memo's stay.",
      request.plan.submissions, request.reports, better ? "memos have" : "fresh noise has");
}

void PrintTable(const std::vector<Way>& ways, const std::vector<std::string>& reasons,
                const LongitudinalRequest& request) {
  std::cout << absl::StrFormat(
      "%d reports of a device: epsilon %s, delta %s for all of them together\n"
      "  %-5s  %-11s  %9s  %10s  %s\n",
      request.reports, RoundedUp(request.plan.epsilon, 4), RoundedUp(request.plan.delta, 4), "",
      "mechanism", "deviation", "of one", "parameters");
  for (const Way& way : ways) {
    const mechanism::Mechanism& planned = *way.made.candidate.mechanism;
    std::cout << absl::StrFormat(
        "  %-5s  %-11s  %9.3g  %10s  %s\n", way.mode, way.made.candidate.name,
        std::sqrt(way.made.candidate.mse),
        way.mode == "memo" ? "-" : absl::StrCat("eps ", RoundedUp(way.made.epsilon, 4)),
        DescribeParameters(planned));
  }
  for (const std::string& reason : reasons) std::cout << "  not feasible: " << reason << "\n";
  if (Best(ways, "memo") != nullptr) std::cout << "! " << kNotHidden << "\n";
  const std::string verdict = Verdict(ways, request);
  if (!verdict.empty()) std::cout << verdict << "\n";
}

}  // namespace

absl::Status PlanOverPeriods(const LongitudinalPlanFlags& flags, const mechanism::PlanRequest& plan,
                             const std::string& only, bool json) {
  const LongitudinalRequest request{
      .plan = plan, .reports = flags.submissions, .values = flags.distinct_values};
  TOMBOLA_RETURN_IF_ERROR(mechanism::ValidateLongitudinal(request));
  std::vector<Way> ways;
  std::vector<std::string> reasons;
  for (const char* mode : {"fresh", "memo"}) {
    if (flags.mode != "both" && flags.mode != mode) continue;
    TOMBOLA_RETURN_IF_ERROR(Collect(mode, request, only, &ways, &reasons));
  }
  if (!json) {
    PrintTable(ways, reasons, request);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Way& way : ways) {
    rows.push_back({{"longitudinal", way.mode},
                    {"mechanism", way.made.candidate.name},
                    {"mse", way.made.candidate.mse},
                    {"epsilon", way.made.epsilon},
                    {"parameters", ParametersJson(*way.made.candidate.mechanism)}});
  }
  const Way* const best = Best(ways, "");
  Print(Json{{"submissions_per_device", request.reports},
             {"distinct_values", request.values},
             {"epsilon", request.plan.epsilon},
             {"delta", request.plan.delta},
             {"users", request.plan.submissions},
             {"recommended", best == nullptr ? Json() : Json(best->mode)},
             {"mechanism", best == nullptr ? Json() : Json(best->made.candidate.name)},
             {"why", Verdict(ways, request)},
             {"not_feasible", reasons},
             {"candidates", std::move(rows)}});
  return absl::OkStatus();
}

}  // namespace tombola::cli
