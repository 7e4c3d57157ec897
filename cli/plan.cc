// tombola plan
#include "common/mechanism/plan.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/mechanism_json.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::Mechanism;
using mechanism::PlanRequest;

struct Options {
  PlanRequest request;
  double min_honest = 1;
  std::string method = "tight";
  bool json = false;
};

double BytesPerUser(const Mechanism& mechanism) {
  return mechanism.expected_reports_per_submission() *
         static_cast<double>(mechanism.report_bytes() + crypto::kHpkeOverhead);
}

// The smallest batch of which enough are honest; null if it cannot be said.
Json MinBatch(const Mechanism& mechanism, const Options& options) {
  const auto honest = mechanism.SmallestHonest(options.request.epsilon, options.request.delta);
  if (!honest.ok()) return Json();
  return Json(static_cast<int64_t>(std::ceil(static_cast<double>(*honest) / options.min_honest)));
}

Json CandidateJson(const Candidate& candidate, const Options& options) {
  Json json = {{"mechanism", candidate.name},
               {"feasible", candidate.feasible},
               {"reason", candidate.reason}};
  if (candidate.central) json["central"] = true;
  const Mechanism* const mechanism = candidate.mechanism.get();
  json["parameters"] = mechanism == nullptr ? Json::object() : ParametersJson(*mechanism);
  json["mse"] = FiniteOrNull(candidate.mse);
  json["messages_per_user"] =
      mechanism == nullptr ? Json() : Json(mechanism->expected_reports_per_submission());
  json["max_messages_per_user"] =
      mechanism == nullptr ? Json() : Json(mechanism->max_reports_per_submission());
  json["bytes_per_user"] = mechanism == nullptr ? Json() : Json(BytesPerUser(*mechanism));
  json["local_epsilon"] = mechanism == nullptr ? Json() : FiniteOrNull(mechanism->local_epsilon());
  json["min_batch"] = mechanism == nullptr ? Json() : MinBatch(*mechanism, options);
  return json;
}

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

// What a person should know before taking the plan.
std::vector<std::string> Warnings(const Candidate* best, const PlanRequest& request) {
  std::vector<std::string> warnings;
  const auto users = static_cast<double>(request.submissions);
  if (request.delta * users >= 1) {
    warnings.push_back(absl::StrFormat(
        "delta %g is not below 1/users: it allows a device to be exposed outright", request.delta));
  }
  if (best == nullptr) return warnings;
  // All zeros are at most this far off on average over the domain, since frequencies sum to one.
  if (best->mse * static_cast<double>(request.domain_size) >= 1) {
    warnings.push_back(
        "the error is larger than that of an answer of all zeros: the target leaves "
        "nothing to be seen with so few users");
  }
  const int64_t most = best->mechanism->max_reports_per_submission();
  if (static_cast<double>(most) / users > 100 * std::sqrt(best->mse)) {
    warnings.push_back(absl::StrFormat(
        "one dishonest device may send %d messages and move a frequency by %.2g, far more than "
        "the error",
        most, static_cast<double>(most) / users));
  }
  return warnings;
}

void PrintTable(const std::vector<Candidate>& candidates, const Candidate* best,
                const Options& options) {
  const PlanRequest& request = options.request;
  std::cout << absl::StrFormat(
      "%d users, %d honest; %d values; epsilon %g, delta %g; %s accounting\n\n"
      "  %-11s  %9s  %9s  %8s  %7s  %7s  %s\n",
      request.submissions, request.honest, request.domain_size, request.epsilon, request.delta,
      options.method, "mechanism", "mse", "deviation", "messages", "at most", "bytes",
      "parameters");
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
  for (const std::string& warning : Warnings(best, request)) std::cout << "! " << warning << "\n";
}

absl::Status RunPlan(Options options) {
  PlanRequest& request = options.request;
  if (!(options.min_honest > 0 && options.min_honest <= 1)) {
    return absl::InvalidArgumentError("--min-honest must be in (0, 1]");
  }
  if (request.submissions < 1 || request.submissions > int64_t{1} << 40) {
    return absl::InvalidArgumentError(
        absl::StrCat("--users must be in [1, 2^40], is ", request.submissions));
  }
  // Not one fewer by rounding, as 0.29 of 100 would be.
  const double share = static_cast<double>(request.submissions) * options.min_honest;
  request.honest =
      std::min(request.submissions, static_cast<int64_t>(std::floor(share * (1 + 1e-12))));
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
  for (const Candidate& candidate : candidates) rows.push_back(CandidateJson(candidate, options));
  Print(Json{{"recommended", best == nullptr ? Json() : Json(best->name)},
             {"users", request.submissions},
             {"honest", request.honest},
             {"domain", request.domain_size},
             {"epsilon", request.epsilon},
             {"delta", request.delta},
             {"method", options.method},
             {"warnings", Warnings(best, request)},
             {"candidates", std::move(rows)}});
  return absl::OkStatus();
}

}  // namespace

void AddPlan(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<Options>();
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
