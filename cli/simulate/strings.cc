#include "cli/simulate/strings.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/simulate/string_output.h"
#include "cli/simulation/string_data.h"
#include "cli/simulation/string_experiment.h"
#include "cli/terminal/progress.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "common/mechanism/strings.h"

namespace tombola::cli {
namespace {

using mechanism::StringPlan;
using mechanism::StringPlanRequest;
using simulation::StringData;

constexpr double kAlpha = 0.05;  // as queries do by default

absl::Status CheckMechanisms(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "all" || name == "one_message" || name == "dummies" || name == "every_level") {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "--mechanism must be one_message, dummies, every_level or all for --kind strings, is ",
        name));
  }
  return absl::OkStatus();
}

bool Wanted(const StringPlan& plan, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == "all" || name == mechanism::NameOf(plan.messages);
  });
}

absl::Status RunStringTrials(const StringData& data, const strings::Alphabet& alphabet,
                             const StringSimulation& asked, Progress& progress, StringRow& row) {
  std::vector<simulation::StringScore> scores;
  const double trials = static_cast<double>(asked.trials);
  for (int64_t trial = 0; trial < asked.trials; ++trial) {
    simulation::Generator random(simulation::SeedSequence(asked.data.seed)
                                     .Add(mechanism::NameOf(row.plan.messages))
                                     .Add(row.epsilon)
                                     .Add(row.delta)
                                     .Add(static_cast<uint64_t>(trial))
                                     .seed());
    TOMBOLA_ASSIGN_OR_RETURN(const simulation::FoundStrings found,
                             SendAndFind(data, alphabet, row.plan, kAlpha, asked.threads, random));
    scores.push_back(ScoreOf(data, found.strings));
    row.tests += static_cast<double>(found.tests) / trials;
    row.decode_seconds += absl::ToDoubleSeconds(found.decoding) / trials;
    row.complete = row.complete && found.complete;
    progress.Add(1);
  }
  row.score = MeanOf(scores);
  row.found_predicted = PredictedFound(data, row.plan, kAlpha);
  for (size_t i = 0; i < simulation::kStringTops.size(); ++i) {
    row.error_predicted[i] = PredictedError(data, row.plan, simulation::kStringTops[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SimulateStrings(const StringSimulation& asked) {
  TOMBOLA_RETURN_IF_ERROR(CheckMechanisms(asked.mechanisms));
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet alphabet, ReadAlphabet(asked.strings));
  StringPlanRequest request;
  TOMBOLA_ASSIGN_OR_RETURN(request,
                           ReadStringRequest(asked.strings, alphabet.symbols(), request.plan));
  // Strings are as long as the levels that they are cut into.
  TOMBOLA_ASSIGN_OR_RETURN(const strings::ShapeOptions shape, LevelsFor(request));
  strings::Spelling spelling =
      alphabet.of_bytes() ? strings::Spelling::kAsItIs : strings::Spelling::kComposed;
  if (asked.fold_case) spelling = strings::Spelling::kFolded;
  if (!alphabet.of_bytes()) {
    TOMBOLA_RETURN_IF_ERROR(strings::CheckSpelled(asked.strings.alphabet, spelling));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const StringData data,
                           simulation::MakeStringData({.data = asked.data,
                                                       .alphabet = alphabet,
                                                       .length = shape.length,
                                                       .spelling = spelling,
                                                       .counted = asked.counted}));
  request.plan.honest = request.plan.submissions = data.devices;
  if (request.whole && !asked.strings.dictionary_size.has_value()) {
    request.dictionary = 2 * static_cast<double>(data.strings.size());
  }
  std::vector<StringRow> rows;
  for (const double delta : asked.deltas) {
    for (const double epsilon : asked.epsilons) {
      request.plan.epsilon = epsilon;
      request.plan.delta = delta;
      TOMBOLA_ASSIGN_OR_RETURN(const std::vector<StringPlan> plans,
                               mechanism::PlanStrings(request));
      for (const StringPlan& plan : plans) {
        if (!Wanted(plan, asked.mechanisms)) continue;
        rows.push_back({.epsilon = epsilon, .delta = delta, .plan = plan});
      }
    }
  }
  const int64_t feasible = std::count_if(rows.begin(), rows.end(),
                                         [](const StringRow& row) { return row.plan.feasible; });
  Progress progress("trials", feasible * asked.trials);
  for (StringRow& row : rows) {
    if (!row.plan.feasible) continue;
    TOMBOLA_RETURN_IF_ERROR(RunStringTrials(data, alphabet, asked, progress, row));
  }
  progress.Finish();
  const StringSetup setup{.data = asked.data.source,
                          .devices = data.devices,
                          .strings = static_cast<int64_t>(data.strings.size()),
                          .symbols = alphabet.symbols(),
                          .trials = asked.trials,
                          .seed = asked.data.seed};
  if (!asked.out.empty()) {
    TOMBOLA_RETURN_IF_ERROR(
        ReplaceFile(absl::StrCat(asked.out, "/simulation.csv"), StringsCsv(rows)));
  }
  if (asked.json) {
    Print(StringsJson(setup, rows));
  } else {
    std::cout << StringsTable(setup, rows);
  }
  return absl::OkStatus();
}

}  // namespace tombola::cli
