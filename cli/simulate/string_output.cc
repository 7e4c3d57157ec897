#include "cli/simulate/string_output.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/decimal.h"
#include "common/json/csv.h"
#include "common/json/mechanism.h"
#include "common/kind/strings.h"
#include "common/mechanism/strings.h"

namespace tombola::cli {
namespace {

using mechanism::StringPlan;
using simulation::kStringTops;

std::string LevelsText(const StringPlan& plan) {
  if (plan.shape.whole) return "whole strings";
  return absl::StrFormat("up to %d of %d symbols, %d level%s of %d", plan.shape.length,
                         plan.shape.symbols, plan.levels, plan.levels == 1 ? "" : "s",
                         plan.shape.step);
}

std::string MedianText(double share) {
  return std::isnan(share) ? "-" : absl::StrFormat("%.1f %%", 100 * share);
}

Json NumberOrNull(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json TopsJson(const StringRow& row) {
  Json tops = Json::array();
  for (size_t i = 0; i < kStringTops.size(); ++i) {
    tops.push_back({{"top", kStringTops[i]},
                    {"f1", row.score.f1[i]},
                    {"error", NumberOrNull(row.score.error[i])},
                    {"error_predicted", NumberOrNull(row.error_predicted[i])}});
  }
  return tops;
}

}  // namespace

Json StringsJson(const StringSetup& setup, const std::vector<StringRow>& rows) {
  Json list = Json::array();
  for (const StringRow& row : rows) {
    const StringPlan& plan = row.plan;
    const auto known = [&](auto value) { return plan.feasible ? Json(value) : Json(); };
    list.push_back({{"mechanism", std::string(mechanism::NameOf(plan.messages))},
                    {"epsilon", row.epsilon},
                    {"delta", row.delta},
                    {"feasible", plan.feasible},
                    {"reason", plan.reason},
                    {"range", known(plan.shape.range)},
                    {"messages_per_user", known(plan.expected_messages)},
                    {"local_epsilon", FiniteOrNull(plan.local_epsilon)},
                    {"holders", FiniteOrNull(plan.holders)},
                    {"found", known(row.score.found)},
                    {"found_predicted", known(row.found_predicted)},
                    {"held_by_nobody", known(row.score.held_by_nobody)},
                    {"tops", plan.feasible ? TopsJson(row) : Json::array()},
                    {"tests", known(row.tests)},
                    {"decode_seconds", known(row.decode_seconds)},
                    {"complete", known(row.complete)}});
  }
  const StringPlan& any = rows.front().plan;
  return Json{{"kind", std::string(StringsKind::kName)},
              {"data", setup.data},
              {"users", setup.devices},
              {"strings", setup.strings},
              {"symbols", setup.symbols},
              {"length", any.shape.length},
              {"step", any.shape.whole ? Json() : Json(any.shape.step)},
              {"levels", any.levels},
              {"trials", setup.trials},
              {"seed", setup.seed},
              {"rows", std::move(list)}};
}

std::string StringsTable(const StringSetup& setup, const std::vector<StringRow>& rows) {
  std::string table = absl::StrFormat(
      "%s: %d devices, %d strings, %s; %d trial%s, seed %d\n\n"
      "  %-11s  %7s  %8s  %8s  %7s  %7s  %9s  %8s",
      setup.data, setup.devices, setup.strings, LevelsText(rows.front().plan), setup.trials,
      setup.trials == 1 ? "" : "s", setup.seed, "mechanism", "epsilon", "delta", "messages",
      "holders", "found", "predicted", "nobody's");
  for (const int64_t top : kStringTops) absl::StrAppendFormat(&table, "  F1 %4d", top);
  absl::StrAppendFormat(&table, "  %9s  %9s  %7s\n", "error 100", "predicted", "seconds");
  for (const StringRow& row : rows) {
    absl::StrAppendFormat(&table, "  %-11s  %7s  %8s", mechanism::NameOf(row.plan.messages),
                          RoundedUp(row.epsilon, 4), RoundedUp(row.delta, 4));
    if (!row.plan.feasible) {
      absl::StrAppend(&table, "  not feasible: ", row.plan.reason, "\n");
      continue;
    }
    absl::StrAppendFormat(&table, "  %8.4g  %7.0f  %7.1f  %9.1f  %8.2g", row.plan.expected_messages,
                          std::ceil(row.plan.holders), row.score.found, row.found_predicted,
                          row.score.held_by_nobody);
    for (const double f1 : row.score.f1) absl::StrAppendFormat(&table, "  %7.3f", f1);
    absl::StrAppendFormat(&table, "  %9s  %9s  %7.2g\n", MedianText(row.score.error[1]),
                          MedianText(row.error_predicted[1]), row.decode_seconds);
    if (!row.complete) table += "  ! prefixes were left out: too many stood out\n";
  }
  table +=
      "\nholders: so many devices must hold a string for it to be found with a probability of 90 "
      "%; "
      "found: strings, and how many\nare predicted; nobody's: those of them that no device holds; "
      "F1 k: how well the first k found are the first k held;\nerror 100: the median relative "
      "error "
      "of those of the first 100 that were found; seconds: of decoding\n";
  return table;
}

std::string StringsCsv(const std::vector<StringRow>& rows) {
  std::string csv =
      "mechanism,epsilon,delta,feasible,messages_per_user,holders,found,found_predicted,"
      "held_by_nobody";
  for (const int64_t top : kStringTops) {
    absl::StrAppend(&csv, ",f1_", top, ",error_", top, ",error_predicted_", top);
  }
  csv += ",tests,decode_seconds\n";
  const auto number = [&](double value, bool there) {
    csv.push_back(',');
    if (there && std::isfinite(value)) AppendCsvNumber(value, &csv);
  };
  for (const StringRow& row : rows) {
    const bool there = row.plan.feasible;
    absl::StrAppend(&csv, mechanism::NameOf(row.plan.messages));
    number(row.epsilon, true);
    number(row.delta, true);
    absl::StrAppend(&csv, there ? ",true" : ",false");
    number(row.plan.expected_messages, there);
    number(row.plan.holders, there);
    number(row.score.found, there);
    number(row.found_predicted, there);
    number(row.score.held_by_nobody, there);
    for (size_t i = 0; i < kStringTops.size(); ++i) {
      number(row.score.f1[i], there);
      number(row.score.error[i], there);
      number(row.error_predicted[i], there);
    }
    number(row.tests, there);
    number(row.decode_seconds, there);
    csv.push_back('\n');
  }
  return csv;
}

}  // namespace tombola::cli
