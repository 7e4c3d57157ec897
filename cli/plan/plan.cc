// tombola plan
#include "common/plan/plan.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;

struct PlanOptions {
  PlanRequest request;
  double min_honest = 1;
  std::string method = "tight";
  bool json = false;
};

void PrintRow(const Candidate& candidate, bool recommended) {
  std::cout << absl::StrFormat("%s %-11s", recommended ? "*" : " ", candidate.name);
  if (!candidate.feasible) {
    std::cout << "  not feasible: " << candidate.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat("  %9.3g  %9.3g", candidate.mse, std::sqrt(candidate.mse));
  if (candidate.mechanism == nullptr) {
    std::cout << "  " << candidate.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat(
      "  %8.4g  %7d  %7.0f  %s\n", candidate.mechanism->expected_reports_per_submission(),
      candidate.mechanism->max_reports_per_submission(), BytesPerUser(*candidate.mechanism),
      DescribeParameters(*candidate.mechanism));
  if (!candidate.reason.empty()) {
    std::cout << absl::StrFormat("  %-11s  %s\n", "", candidate.reason);
  }
}

void PrintTable(const std::vector<Candidate>& candidates, const Candidate* best,
                const PlanOptions& options) {
  const PlanRequest& request = options.request;
  std::cout << absl::StrFormat(
      "%d users, %d honest; %d values; epsilon %s, delta %s; %s accounting\n\n"
      "  %-11s  %9s  %9s  %8s  %7s  %7s  %s\n",
      request.submissions, request.honest, request.domain_size, RoundedUp(request.epsilon, 6),
      RoundedUp(request.delta, 6), options.method, "mechanism", "mse", "deviation", "messages",
      "at most", "bytes", "parameters");
  for (const Candidate& candidate : candidates) PrintRow(candidate, &candidate == best);
  if (best == nullptr) {
    std::cout << "\nno mechanism meets these demands\n";
  } else {
    std::cout << absl::StrFormat(
        "\n* the least error of those that need nobody who sees every value; a frequency is off "
        "by\n"
        "  %.3g on average before post-processing. The local epsilon is what is left if shuffler\n"
        "  and collector collude: cap it with --max-local-epsilon.\n",
        std::sqrt(best->mse));
  }
  for (const std::string& warning : PlanWarnings(best, request))
    std::cout << "! " << warning << "\n";
}

absl::Status RunPlan(PlanOptions options) {
  PlanRequest& request = options.request;
  if (!(options.min_honest > 0 && options.min_honest <= 1)) {
    return absl::InvalidArgumentError("--min-honest must be in (0, 1]");
  }
  if (request.submissions < 1 || request.submissions > int64_t{1} << 40) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users must be in [1, 2^40], is ", request.submissions));
  }
  request.honest = HonestUsers(request.submissions, options.min_honest);
  if (request.honest < 1) {
    return absl::InvalidArgumentError("--min-honest must leave at least one of --users");
  }
  request.method =
      options.method == "published" ? mechanism::Method::kPublished : mechanism::Method::kTight;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, mechanism::PlanAll(request));
  const Candidate* const best = mechanism::Recommended(candidates);
  if (!options.json) {
    PrintTable(candidates, best, options);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Candidate& candidate : candidates) {
    rows.push_back(CandidateJson(candidate, request, {.min_honest = options.min_honest}));
  }
  Print(Json{{"recommended", best == nullptr ? Json() : Json(best->name)},
             {"users", request.submissions},
             {"honest", request.honest},
             {"domain", request.domain_size},
             {"epsilon", request.epsilon},
             {"delta", request.delta},
             {"method", options.method},
             {"warnings", PlanWarnings(best, request)},
             {"candidates", std::move(rows)}});
  return absl::OkStatus();
}

}  // namespace

void AddPlan(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<PlanOptions>();
  PlanRequest& request = options->request;
  CLI::App* plan = app.add_subcommand("plan", "Which mechanism gives the least error for a target");
  plan->add_option("--users", request.submissions, "Submissions in a batch")->required();
  plan->add_option("--domain", request.domain_size, "Number of values")->required();
  plan->add_option("--epsilon", request.epsilon, "Target for every batch")->required();
  plan->add_option("--delta", request.delta, "Target for every batch")->required();
  plan->add_option("--max-local-epsilon", request.max_local_epsilon,
                   "Cap on what is revealed if shuffler and collector collude [none]");
  plan->add_option("--max-messages", request.max_messages,
                   "Cap on the expected messages of a user [none]");
  plan->add_option("--min-honest", options->min_honest,
                   "Share of the users that is sure not to be the observer's own")
      ->capture_default_str();
  plan->add_option("--range", request.range, "local_hash, murs: fix the number of buckets");
  plan->add_option("--fakes", request.fakes,
                   "murs: reports that the shuffler adds [a tenth of the honest users]");
  plan->add_option("--dummies", request.dummies,
                   "mix_dump: dummies for each value in a batch [half of pure_dump's]");
  plan->add_option("--method", options->method, "tight, or published: the papers' closed forms")
      ->check(CLI::IsMember({"tight", "published"}))
      ->capture_default_str();
  plan->add_flag("--json", options->json, "One JSON object on standard output");
  plan->callback([options, choose] { choose([options] { return RunPlan(*options); }); });
}

}  // namespace tombola::cli
