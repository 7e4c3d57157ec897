// tombola plan
#include "common/plan/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "cli/command/number_flags.h"
#include "cli/command/rappor_flags.h"
#include "cli/plan/longitudinal_plan.h"
#include "cli/plan/needed_users.h"
#include "cli/plan/plan_options.h"
#include "cli/plan/plan_text.h"
#include "cli/plan/records_plan.h"
#include "cli/plan/stream_plan.h"
#include "cli/plan/strings_plan.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/mechanism/every.h"
#include "common/plan/number.h"
#include "common/table/domain_size.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;

// Of numbers the bins, or the levels; edges tell nothing that matters here but how many they are.
absl::Status SetBins(PlanOptions* options) {
  if (options->request.domain_size != 0 || options->max_items.has_value() ||
      options->request.frequency != 0) {
    return absl::InvalidArgumentError(
        "--domain, --max-items and --frequency are not for --kind number, which has --resolution");
  }
  NumberFlags flags = options->numbers;
  if (flags.edges_file.empty() && flags.value_range.empty()) flags.value_range = "0:1";
  if (options->levels.has_value()) {
    if (*options->levels < 0 || *options->levels > int64_t{kMostLevels}) {
      return absl::InvalidArgumentError(
          absl::StrCat("--levels must be in [2, ", kMostLevels, "], is ", *options->levels));
    }
    flags.levels = static_cast<uint32_t>(*options->levels);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const AskedNumbers asked, ReadNumbers(flags));
  options->values = static_cast<int64_t>(asked.bins);
  return absl::OkStatus();
}

// The table that a kind has: values, or their levels, and pads.
absl::Status SetCells(PlanOptions* options) {
  PlanRequest& request = options->request;
  if (options->number()) return SetBins(options);
  if (request.domain_size == 0) return absl::InvalidArgumentError("--domain must be given");
  const NumberFlags& numbers = options->numbers;
  if (numbers.resolution.has_value() || !numbers.edges_file.empty() || numbers.missing ||
      numbers.mean_only || numbers.branching.has_value() || !numbers.value_range.empty()) {
    return absl::InvalidArgumentError(
        "--value-range, --resolution, --edges, --missing, --mean-only and --branching are for "
        "--kind number");
  }
  const bool pairs = options->kind == KeyValueKind::kName;
  const bool items = pairs || options->kind == Set::kName;
  if (!items && options->kind != Histogram::kName) {
    return absl::InvalidArgumentError(
        "--kind must be histogram, set, key_value, number, records, stream or strings");
  }
  if (items != options->max_items.has_value()) {
    return absl::InvalidArgumentError(items
                                          ? "--max-items must be given for --kind set and key_value"
                                          : "--max-items is for --kind set and key_value");
  }
  if (!pairs && options->levels.has_value()) {
    return absl::InvalidArgumentError("--levels is for --kind key_value and number");
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

// How many values, bins or levels there are, and cells that are counted; of numbers with the
// recommended tree or number of levels.
Json DomainJson(const Candidate* best, const PlanOptions& options) {
  if (options.values != 0) return Json(options.values);
  if (!options.number()) return Json(options.request.domain_size);
  return best == nullptr ? Json() : Json(best->levels.value_or(0));
}
Json CellsJson(const Candidate* best, const PlanOptions& options) {
  if (!options.number()) return Json(options.request.domain_size);
  return best == nullptr ? Json() : Json(best->mechanism->domain_size());
}

absl::StatusOr<std::vector<Candidate>> CandidatesFor(const PlanOptions& options) {
  return options.number() ? mechanism::PlanNumber(options.NumberRequest())
                          : mechanism::PlanAll(options.request, options.mechanism);
}

// For a number of users, of whom the smallest batch has as many as is asked for.
absl::Status SetHonest(int64_t users, PlanOptions* options) {
  options->request.submissions = users;
  options->request.honest = HonestOf(options->min_batch.value_or(users), options->dishonest);
  if (options->request.honest >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError("--dishonest must leave at least one honest user in a batch");
}

// The fewest users for whom what is wished for holds, and a word about it.
absl::Status SetNeededUsers(PlanOptions* options) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const int64_t users, NeededUsers(options->wish, [&](int64_t users) -> absl::StatusOr<double> {
        TOMBOLA_RETURN_IF_ERROR(SetHonest(users, options));
        TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, CandidatesFor(*options));
        const Candidate* const best = mechanism::Recommended(candidates, options->Left());
        return best == nullptr ? std::numeric_limits<double>::infinity() : best->mse;
      }));
  TOMBOLA_RETURN_IF_ERROR(SetHonest(users, options));
  if (!options->json) std::cout << DescribeNeeded(options->wish, users) << "\n\n";
  return absl::OkStatus();
}

absl::Status SetRappor(PlanOptions* options) {
  if (options->mechanism.empty() && options->rappor.any()) {
    options->mechanism = std::string(mechanism::Rappor::kName);
  }
  if (options->mechanism.empty()) return absl::OkStatus();
  if (options->kind != Histogram::kName) {
    return absl::InvalidArgumentError("--mechanism is for --kind histogram");
  }
  const RapporFlags& flags = options->rappor;
  if (flags.any() && options->mechanism != mechanism::Rappor::kName) {
    return absl::InvalidArgumentError(
        "--bits, --hashes, --cohorts, --prr, --irr-p and --irr-q are for --mechanism rappor");
  }
  if (options->mechanism == mechanism::Rappor::kName && options->submissions != 1) {
    return absl::InvalidArgumentError(
        "--submissions must be 1 for rappor: further reports would say more of the same memo");
  }
  if (flags.cohorts.value_or(1) != 1) {
    return absl::InvalidArgumentError(
        "--cohorts must be 1: the values are known, and more groups would only hide less");
  }
  options->request.rappor = {.bits = flags.bits,
                             .hashes = flags.hashes,
                             .prr = flags.prr,
                             .irr_p = flags.irr_p,
                             .irr_q = flags.irr_q};
  return absl::OkStatus();
}

absl::Status RunPlan(PlanOptions options) {
  PlanRequest& request = options.request;
  if (!(options.dishonest >= 0 && options.dishonest < 1)) {
    return absl::InvalidArgumentError("--dishonest must be in [0, 1)");
  }
  const bool wished = options.wish.any();
  if (wished == (request.submissions != 0) || (wished && options.min_batch.has_value())) {
    return absl::InvalidArgumentError(
        "either --users, or one of --error and --detect, which ask for it, without --min-batch");
  }
  if (wished) request.submissions = 1;  // until it is known
  if (options.min_batch.has_value() &&
      (*options.min_batch < 1 || *options.min_batch > request.submissions)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--min-batch must be between 1 and --users, is ", *options.min_batch));
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
  if (!wished) TOMBOLA_RETURN_IF_ERROR(SetHonest(request.submissions, &options));
  if (options.strings.any() && options.kind != StringsKind::kName) {
    return absl::InvalidArgumentError(
        "--length, --alphabet, --step, --dictionary-size and --dictionary-only are for --kind "
        "strings");
  }
  const bool records = options.kind == RecordsKind::kName;
  if (records == options.schema_file.empty() || (!records && !options.sizes_file.empty())) {
    return absl::InvalidArgumentError(
        "--schema FILE and --sizes FILE are for --kind records, which must have the former");
  }
  if (wished && (records || options.kind == StreamKind::kName)) {
    return absl::InvalidArgumentError(
        "--error and --detect are for --kind histogram, set, key_value and number");
  }
  if (records) {
    return PlanRecordsSchema(options.schema_file, options.sizes_file, request, options.json);
  }
  request.method =
      options.method == "published" ? mechanism::Method::kPublished : mechanism::Method::kTight;
  if (options.kind == StreamKind::kName) {
    return PlanStreamPeriods(options.stream, request, options.json);
  }
  if (options.stream.any()) {
    return absl::InvalidArgumentError(
        "--periods, --structure and --device-periods are for --kind stream");
  }
  if (options.kind == StringsKind::kName) {
    if (options.submissions != 1) {
      return absl::InvalidArgumentError("--submissions is not for --kind strings");
    }
    return PlanStringWays(options.strings, request, options.Left(), options.json);
  }
  TOMBOLA_RETURN_IF_ERROR(SetRappor(&options));
  TOMBOLA_RETURN_IF_ERROR(SetCells(&options));
  if (!options.longitudinal.mode.empty()) {
    if (options.kind != Histogram::kName) {
      return absl::InvalidArgumentError("--longitudinal is for --kind histogram");
    }
    if (wished) return absl::InvalidArgumentError("--longitudinal needs --users");
    return PlanOverPeriods(options.longitudinal, request, options.mechanism, options.json);
  }
  if (wished) TOMBOLA_RETURN_IF_ERROR(SetNeededUsers(&options));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, CandidatesFor(options));
  const Candidate* const best = mechanism::Recommended(candidates, options.Left());
  if (!options.json) {
    PrintTable(candidates, best, options);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Candidate& candidate : candidates) {
    Json& row = rows.emplace_back(
        CandidateJson(candidate, request,
                      {.min_honest = 1 - options.dishonest,
                       .levels = options.kind == KeyValueKind::kName ? *options.levels : 0,
                       .numbers = options.number()}));
    if (options.submissions == 1 || candidate.mechanism == nullptr) continue;
    row["total_epsilon"] = FiniteOrNull(TotalEpsilon(*candidate.mechanism, options));
    row["total_delta"] = options.total();
  }
  Print(Json{{"kind", options.kind},
             {"recommended", best == nullptr ? Json() : Json(best->name)},
             {"sent", best == nullptr || !best->sent.has_value() ? Json() : Json(*best->sent)},
             {"users", request.submissions},
             {"honest", request.honest},
             {"wish", wished ? WishJson(options.wish) : Json()},
             {"domain", DomainJson(best, options)},
             {"cells", CellsJson(best, options)},
             {"branching",
              best == nullptr || !best->branching.has_value() ? Json() : Json(*best->branching)},
             {"epsilon", request.epsilon},
             {"delta", request.delta},
             {"method", options.method},
             {"submissions", options.submissions},
             {"warnings", AllWarnings(best, options)},
             {"candidates", std::move(rows)}});
  return absl::OkStatus();
}

}  // namespace

void AddPlan(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<PlanOptions>();
  PlanRequest& request = options->request;
  CLI::App* plan = app.add_subcommand("plan", "Which mechanism gives the least error for a target");
  plan->add_option("--users", request.submissions, "Submissions in a batch");
  plan->add_option("--min-batch", options->min_batch,
                   "The smallest batch that may leave, for which the guarantee must hold: as task "
                   "create takes it, 0.9 of its --users by default [--users]");
  plan->add_option(
          "--error", options->wish.error,
          "In place of --users: how many it takes for shares whose error, half the width of "
          "their --confidence interval, is so small, such as 0.5%")
      ->transform(PercentAsShare);
  plan->add_option(
          "--detect", options->wish.detect,
          "In place of --users: how many it takes, in each of two answers, to see a change "
          "of a share by so much, such as 0.5%, four times in five")
      ->transform(PercentAsShare);
  plan->add_option("--confidence", options->wish.confidence, "Of --error and --detect, such as 95%")
      ->transform(PercentAsShare)
      ->default_str("95%");
  plan->add_option("--domain", request.domain_size, "Number of values; not of numbers");
  plan->add_option("--kind", options->kind,
                   "histogram, set, key_value, number, records, stream or strings")
      ->capture_default_str();
  plan->add_option("--schema", options->schema_file,
                   "records: JSON file of their attributes, measures and questions");
  plan->add_option("--sizes", options->sizes_file,
                   "records: file with a line for each number of records, that number and how many "
                   "devices have so many: shows what each max_records costs");
  plan->add_option("--max-items", options->max_items,
                   "set, key_value: how many things a device holds at most");
  plan->add_option("--levels", options->levels,
                   "key_value, number with --mean-only: to how many levels numbers are rounded "
                   "[3; of number the best]");
  plan->add_option("--value-range", options->numbers.value_range,
                   "number: LO:HI, the smallest and the largest number; errors are shares, and do "
                   "not depend on it [0:1]");
  plan->add_option("--resolution", options->numbers.resolution, "number: how many bins [1024]");
  plan->add_option("--edges", options->numbers.edges_file,
                   "number: file with one edge of a bin a line, instead of --resolution");
  plan->add_flag("--missing", options->numbers.missing, "number: a device may have none");
  plan->add_flag("--mean-only", options->numbers.mean_only,
                 "number: levels instead of bins; the error is that of the mean, of the range");
  plan->add_option("--branching", options->numbers.branching,
                   "number: of its tree; 0: the bins alone [the best]");
  plan->add_option("--sent", options->sent,
                   "number: of how many levels of the tree a device speaks [the best]");
  plan->add_option("--periods", options->stream.periods,
                   "stream: how many periods it has; --users are of each");
  plan->add_option("--structure", options->stream.structure,
                   "stream: only this one: plain, fenwick or best")
      ->check(CLI::IsMember({"auto", "plain", "fenwick", "best"}))
      ->capture_default_str();
  plan->add_option("--device-periods", options->stream.device_periods,
                   "stream: the most periods that a device takes part in")
      ->capture_default_str();
  plan->add_option("--length", options->strings.length,
                   "strings: the most characters of one that count");
  plan->add_option("--alphabet", options->strings.alphabet,
                   "strings: the characters that they are made of, or bytes");
  plan->add_option("--step", options->strings.step,
                   "strings: so many characters are found at once [as many as decoding allows]");
  plan->add_flag("--dictionary-only", options->strings.dictionary_only,
                 "strings: only lists of strings will be looked up, each string whole");
  plan->add_option("--dictionary-size", options->strings.dictionary_size,
                   "strings: the same, with lists of so many [67108864]");
  plan->add_option("--frequency", request.frequency,
                   "set, key_value: at which errors are compared; stream: of the rarest value "
                   "whose share matters, or 0 if counts do")
      ->capture_default_str();
  plan->add_option("--epsilon", request.epsilon, "Target for every batch")->required();
  plan->add_option("--delta", request.delta, "Target for every batch")->required();
  auto* local_epsilon =
      plan->add_option(
              "--max-local-epsilon", request.max_local_epsilon,
              "Cap on what is revealed if shuffler and collector collude, or none [none for "
              "set, key_value and number; histograms leave something]")
          ->transform(NoneIsInfinite);
  plan->add_option("--max-messages", request.max_messages,
                   "Cap on the expected messages of a user [none]");
  plan->add_option("--dishonest", options->dishonest,
                   "Share of the users that may be the observer's own, in [0, 1)")
      ->capture_default_str();
  plan->add_option("--range", request.range, "local_hash, murs: fix the number of buckets");
  plan->add_option("--fakes", request.fakes,
                   "murs: reports that the shuffler adds [a tenth of the honest users]");
  plan->add_option("--dummies", request.dummies,
                   "mix_dump: dummies for each value in a batch [half of pure_dump's]");
  plan->add_option("--mechanism", options->mechanism,
                   "histogram: only this one; rappor is planned only where it is named")
      ->check(CLI::IsMember(mechanism::MechanismNames()));
  AddRapporFlags(*plan, &options->rappor);
  plan->add_option("--longitudinal", options->longitudinal.mode,
                   "histogram: for devices that report in every period, with --epsilon and --delta "
                   "for all of their reports: fresh noise, memos, or both beside each other")
      ->check(CLI::IsMember({"fresh", "memo", "both"}));
  plan->add_option("--submissions-per-device", options->longitudinal.submissions,
                   "How many reports a device makes, with --longitudinal");
  plan->add_option("--distinct-values", options->longitudinal.distinct_values,
                   "memo: of how many values a device keeps one")
      ->capture_default_str();
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
