// tombola plan
#include "common/plan/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "common/accounting/composition.h"
#include "common/accounting/submission_loss.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/set.h"
#include "common/table/domain_size.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;

struct PlanOptions {
  PlanRequest request;
  double min_honest = 1;
  std::string method = "tight";
  int64_t submissions = 1;            // of a device, each in another batch
  std::optional<double> total_delta;  // for all of them; none: the target's
  bool json = false;
  std::string kind{Histogram::kName};
  std::optional<int64_t> max_items;
  std::optional<int64_t> levels;
  int64_t values = 0;  // given as --domain; the request has all cells
  bool local_epsilon_given = false;

  mechanism::Left Left() const {
    return local_epsilon_given ? mechanism::Left::kAnything
                               : mechanism::LeftByDefault(request.filling);
  }

  double total() const { return total_delta.value_or(request.delta); }
  // Whether a device fills several cells.
  bool several() const { return request.filling.held > 1; }
};

// What the submissions of a device amount to together; infinity: nothing holds.
double TotalEpsilon(const mechanism::Mechanism& mechanism, const PlanOptions& options) {
  constexpr double kNegligibleShare = 1e-3;  // of delta, for losses that are not looked at
  const double local = accounting::Times(options.submissions, mechanism.local_epsilon());
  const auto loss =
      mechanism.Loss(options.request.honest,
                     kNegligibleShare * options.total() / static_cast<double>(options.submissions));
  if (!loss.ok()) return local;
  const auto epsilon = accounting::EpsilonOver(*loss, options.submissions, options.total());
  return epsilon.ok() ? std::min(*epsilon, local) : local;
}

void PrintRow(const Candidate& candidate, bool recommended, const PlanOptions& options) {
  std::cout << absl::StrFormat("%s %-11s", recommended ? "*" : " ", candidate.name);
  if (candidate.sent.has_value()) std::cout << absl::StrFormat(" %4d", *candidate.sent);
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
  if (options.submissions > 1) {
    const double total = TotalEpsilon(*candidate.mechanism, options);
    std::cout << absl::StrFormat(
        "  %-11s  %d submissions in as many batches: %s\n", "", options.submissions,
        std::isfinite(total) ? absl::StrCat("epsilon ", RoundedUp(total, 4), ", delta ",
                                            RoundedUp(options.total(), 4))
                             : std::string("nothing"));
  }
  if (!candidate.reason.empty()) {
    std::cout << absl::StrFormat("  %-11s  %s\n", "", candidate.reason);
  }
}

void PrintTable(const std::vector<Candidate>& candidates, const Candidate* best,
                const PlanOptions& options) {
  const PlanRequest& request = options.request;
  std::cout << absl::StrFormat(
      "%d users, %d honest; %d %s; epsilon %s, delta %s; %s accounting\n\n"
      "  %-11s%s  %9s  %9s  %8s  %7s  %7s  %s\n",
      request.submissions, request.honest, request.domain_size,
      options.several() ? absl::StrCat("cells, of which a device fills ", request.filling.held)
                        : std::string("values"),
      RoundedUp(request.epsilon, 6), RoundedUp(request.delta, 6), options.method, "mechanism",
      options.several() ? " sent" : "", "mse", "deviation", "messages", "at most", "bytes",
      "parameters");
  for (const Candidate& candidate : candidates) PrintRow(candidate, &candidate == best, options);
  if (best == nullptr) {
    std::cout << "\nno mechanism meets these demands\n";
  } else {
    std::cout << absl::StrFormat(
        "\n* the least error of those that need nobody who sees every value; a frequency is off "
        "by\n"
        "  %.3g %s before post-processing. The local epsilon is what is left if shuffler\n"
        "  and collector collude: cap it with --max-local-epsilon.\n",
        std::sqrt(best->mse),
        options.several() ? absl::StrFormat("for a cell that %g %% hold", 100 * request.frequency)
                          : "on average");
  }
  for (const std::string& warning : PlanWarnings(best, request))
    std::cout << "! " << warning << "\n";
}

// The table that a kind has: values, or their levels, and pads.
absl::Status SetCells(PlanOptions* options) {
  PlanRequest& request = options->request;
  const bool pairs = options->kind == KeyValueKind::kName;
  const bool items = pairs || options->kind == Set::kName;
  if (!items && options->kind != Histogram::kName) {
    return absl::InvalidArgumentError("--kind must be histogram, set or key_value");
  }
  if (items != options->max_items.has_value()) {
    return absl::InvalidArgumentError(items
                                          ? "--max-items must be given for --kind set and key_value"
                                          : "--max-items is for --kind set and key_value");
  }
  if (!pairs && options->levels.has_value()) {
    return absl::InvalidArgumentError("--levels is for --kind key_value");
  }
  if (!items) return absl::OkStatus();
  const int64_t held = *options->max_items;
  if (held < 1 || held > std::min(mechanism::kMostHeld, request.domain_size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--max-items must be in [1, ", mechanism::kMostHeld, "] and at most --domain, is ", held));
  }
  const int64_t levels = pairs ? options->levels.value_or(kUsualLevels) : 1;
  if (pairs && (levels < 2 || levels > 256)) {
    return absl::InvalidArgumentError(absl::StrCat("--levels must be in [2, 256], is ", levels));
  }
  if (request.domain_size > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("--domain must be at most ", mechanism::kLargestDomainText));
  }
  options->levels = levels;
  options->values = request.domain_size;
  request.domain_size = request.domain_size * levels + held;
  request.filling = {.held = held, .sent = held};
  return absl::OkStatus();
}

// What a plan for pairs predicts of means: the variance of a key's mean at the request's frequency,
// for numbers spread evenly over -1 to 1, of which the mean is 0.
Json MeanMse(const Candidate& candidate, const PlanOptions& options) {
  if (candidate.mechanism == nullptr || !(options.request.frequency > 0)) return Json();
  const Levels levels{.low = -1, .high = 1, .count = *options.levels};
  const double rounded = levels.step() * levels.step() / 6;
  return Json(MeanVariance(candidate.mechanism->count_model(), levels,
                           {.submissions = options.request.submissions},
                           {.frequency = options.request.frequency,
                            .mean = 0,
                            .square = 1.0 / 3 + rounded,
                            .rounded = rounded}));
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
  if (options.submissions < 1 || options.submissions > 1000) {
    return absl::InvalidArgumentError(
        absl::StrCat("--submissions must be in [1, 1000], is ", options.submissions));
  }
  if (options.total_delta.has_value() && !(*options.total_delta > 0 && *options.total_delta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--total-delta must be in (0, 1), is ", *options.total_delta));
  }
  request.honest = HonestUsers(request.submissions, options.min_honest);
  if (request.honest < 1) {
    return absl::InvalidArgumentError("--min-honest must leave at least one of --users");
  }
  TOMBOLA_RETURN_IF_ERROR(SetCells(&options));
  request.method =
      options.method == "published" ? mechanism::Method::kPublished : mechanism::Method::kTight;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, mechanism::PlanAll(request));
  const Candidate* const best = mechanism::Recommended(candidates, options.Left());
  if (!options.json) {
    PrintTable(candidates, best, options);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Candidate& candidate : candidates) {
    Json& row =
        rows.emplace_back(CandidateJson(candidate, request, {.min_honest = options.min_honest}));
    if (options.kind == KeyValueKind::kName) row["mean_mse"] = MeanMse(candidate, options);
    if (options.submissions == 1 || candidate.mechanism == nullptr) continue;
    row["total_epsilon"] = FiniteOrNull(TotalEpsilon(*candidate.mechanism, options));
    row["total_delta"] = options.total();
  }
  Print(Json{{"kind", options.kind},
             {"recommended", best == nullptr ? Json() : Json(best->name)},
             {"sent", best == nullptr || !best->sent.has_value() ? Json() : Json(*best->sent)},
             {"users", request.submissions},
             {"honest", request.honest},
             {"domain", options.values == 0 ? request.domain_size : options.values},
             {"cells", request.domain_size},
             {"epsilon", request.epsilon},
             {"delta", request.delta},
             {"method", options.method},
             {"submissions", options.submissions},
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
  plan->add_option("--kind", options->kind, "histogram, set or key_value")->capture_default_str();
  plan->add_option("--max-items", options->max_items,
                   "set, key_value: how many things a device holds at most");
  plan->add_option("--levels", options->levels,
                   "key_value: to how many levels numbers are rounded [3]");
  plan->add_option("--frequency", request.frequency, "set, key_value: at which errors are compared")
      ->capture_default_str();
  plan->add_option("--epsilon", request.epsilon, "Target for every batch")->required();
  plan->add_option("--delta", request.delta, "Target for every batch")->required();
  auto* local_epsilon =
      plan->add_option(
              "--max-local-epsilon", request.max_local_epsilon,
              "Cap on what is revealed if shuffler and collector collude, or none [none for "
              "set and key_value; histograms leave something]")
          ->transform(NoneIsInfinite);
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
  plan->add_option("--submissions", options->submissions,
                   "State also what so many submissions of a device, each in another batch, amount "
                   "to")
      ->capture_default_str();
  plan->add_option("--total-delta", options->total_delta,
                   "The delta at which those are stated [--delta]");
  plan->add_option("--method", options->method, "tight, or published: the papers' closed forms")
      ->check(CLI::IsMember({"tight", "published"}))
      ->capture_default_str();
  plan->add_flag("--json", options->json, "One JSON object on standard output");
  plan->callback([options, choose, local_epsilon] {
    options->local_epsilon_given = local_epsilon->count() > 0;
    choose([options] { return RunPlan(*options); });
  });
}

}  // namespace tombola::cli
