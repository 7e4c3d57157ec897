#include "cli/simulate/output.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/simulate/record_output.h"
#include "cli/simulation/chart.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "common/json/csv.h"
#include "common/json/mechanism.h"

namespace tombola::cli {
namespace {

using simulation::Row;

// How the HP-SDP paper calls a mechanism, and how it looks in every chart.
struct Face {
  absl::string_view name;
  absl::string_view paper;
  int style;
};
constexpr Face kFaces[] = {
    {"local_hash", "HP-SM", 0},   {"grr", "SH", 2},           {"aue", "AUE", 3},
    {"pure_dump", "pureDUMP", 4}, {"mix_dump", "mixDUMP", 5}, {"murs", "MURS", 6},
    {"correlated", "", 7},        {"rappor", "", 8},          {"laplace", "", 8},
};
constexpr int kPostProcessedStyle = 1;

const Face& FaceOf(absl::string_view name) {
  const auto* face = std::find_if(std::begin(kFaces), std::end(kFaces),
                                  [&](const Face& face) { return face.name == name; });
  static constexpr Face kOther = {"", "", 0};
  return face == std::end(kFaces) ? kOther : *face;
}

// A line of a chart: one mechanism at one delta.
simulation::Series Line(absl::Span<const Row> rows, const std::string& name, double delta,
                        simulation::Mean simulation::Errors::*errors) {
  const Face& face = FaceOf(name);
  simulation::Series line = {.name = name, .style = face.style, .dashed = name == "laplace"};
  if (!face.paper.empty()) absl::StrAppend(&line.name, " (", face.paper, ")");
  for (const Row& row : rows) {
    if (row.name != name || row.delta != delta) continue;
    line.points.push_back({row.epsilon, row.feasible ? (row.errors.*errors).value : NAN});
  }
  std::sort(line.points.begin(), line.points.end(),
            [](const auto& a, const auto& b) { return a.x < b.x; });
  return line;
}

// Of the rows' field, distinct and in the order of first appearance.
template <typename Field>
std::vector<Field> Distinct(absl::Span<const Row> rows, Field Row::*field) {
  std::vector<Field> seen;
  for (const Row& row : rows) {
    if (std::find(seen.begin(), seen.end(), row.*field) == seen.end()) seen.push_back(row.*field);
  }
  return seen;
}

std::string NumberIf(bool known, double number) {
  return known && std::isfinite(number) ? absl::StrFormat("%.9g", number) : "";
}

std::string Plural(int64_t number, absl::string_view noun) {
  return absl::StrCat(number, " ", noun, number == 1 ? "" : "s");
}

// How estimates are post-processed.
absl::string_view Processed(const SimulationSetup& setup) {
  return setup.max_items > 0 ? "clip" : "POP";
}

// What devices hold.
std::string What(const SimulationSetup& setup) {
  const std::string missing = setup.missing ? ", some without a number" : "";
  if (setup.mean_only) return absl::StrCat("means of numbers", missing);
  if (setup.numbers()) return absl::StrCat(Plural(setup.domain, "bin"), missing);
  if (setup.records()) return absl::StrCat("up to ", Plural(setup.max_records, "record"), " each");
  if (setup.max_items == 0) return Plural(setup.domain, "value");
  return absl::StrCat(Plural(setup.domain, setup.levels > 0 ? "key" : "value"), ", up to ",
                      setup.max_items, " a device",
                      setup.levels > 0 ? absl::StrCat(", ", setup.levels, " levels") : "");
}

std::string Spread(const simulation::Mean& mean) {
  return std::isfinite(mean.standard_error)
             ? absl::StrFormat("%4.1f %%", 100 * mean.standard_error / mean.value)
             : "";
}

}  // namespace

Json SimulationJson(const SimulationSetup& setup, absl::Span<const Row> rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    const auto known = [&](double number) { return row.feasible ? FiniteOrNull(number) : Json(); };
    Json json = {{"mechanism", row.name},
                 {"epsilon", row.epsilon},
                 {"delta", row.delta},
                 {"method", setup.method},
                 {"feasible", row.feasible},
                 {"central", row.central},
                 {"reason", row.reason},
                 {"mse_raw", known(row.errors.raw.value)},
                 {"mse_raw_stderr", known(row.errors.raw.standard_error)},
                 {"mse_pop", known(row.errors.pop.value)},
                 {"mse_pop_stderr", known(row.errors.pop.standard_error)},
                 {"mse_predicted", known(row.predicted)},
                 {"trials", row.feasible ? setup.trials : 0},
                 {"messages_per_user", nullptr},
                 {"parameters", Json::object()}};
    if (row.mechanism != nullptr) {
      json["messages_per_user"] = row.mechanism->expected_reports_per_submission();
      json["parameters"] = ParametersJson(*row.mechanism);
    }
    if (setup.max_items > 0 || setup.numbers()) {
      json["sent"] = row.sent > 0 ? Json(row.sent) : Json();
    }
    if (setup.mean_only) json["levels"] = row.levels.has_value() ? Json(*row.levels) : Json();
    if (setup.records()) {
      json["cells"] = row.record_data == nullptr ? Json() : Json(row.record_data->cells().cells);
      json["views"] = ViewErrorsJson(row);
    }
    if (setup.trees()) {
      json["branching"] = row.branching.has_value() ? Json(*row.branching) : Json();
      json["quantiles_exact"] = known(row.quantiles_exact.value);
    }
    if (setup.levels > 0) {
      json["mean_mse"] = known(row.mean_errors.value);
      json["mean_mse_stderr"] = known(row.mean_errors.standard_error);
      json["mean_mse_predicted"] = known(row.mean_predicted);
      json["mean_keys"] = row.mean_keys;
    }
    list.push_back(std::move(json));
  }
  Json json = {{"data", setup.data},
               {"users", setup.users},
               {"domain", setup.domain > 0 ? Json(setup.domain) : Json()},
               {"seed", setup.seed},
               {"real", setup.real},
               {"kind", setup.kind}};
  if (setup.numbers()) {
    json["mean_only"] = setup.mean_only;
    json["missing"] = setup.missing;
  }
  if (setup.records()) json["max_records"] = setup.max_records;
  if (setup.max_items > 0) json["max_items"] = setup.max_items;
  if (setup.levels > 0) json["levels"] = setup.levels;
  json["rows"] = std::move(list);
  return json;
}

std::string SimulationTable(const SimulationSetup& setup, absl::Span<const Row> rows) {
  std::string out = absl::StrFormat(
      "%s: %s, %s; %s accounting; %s by %s\n\n%7s  %7s  %-11s  %10s  %7s  %10s  %7s  %10s  %8s\n",
      setup.data, Plural(setup.users, "user"), What(setup), setup.method,
      Plural(setup.trials, "trial"), setup.real ? "devices" : "drawn counts", "epsilon", "delta",
      "mechanism", "raw mse", "+-", absl::StrCat("after ", Processed(setup)), "+-", "predicted",
      "messages");
  for (const Row& row : rows) {
    absl::StrAppendFormat(&out, "%7s  %7s  %-11s", RoundedUp(row.epsilon, 6),
                          RoundedUp(row.delta, 6), row.name);
    if (!row.feasible) {
      absl::StrAppendFormat(&out, "  not feasible: %s\n", row.reason);
      continue;
    }
    absl::StrAppendFormat(
        &out, "  %10.4g  %7s  %10s  %7s  %10.4g  %8s\n", row.errors.raw.value,
        Spread(row.errors.raw),
        setup.processed() ? absl::StrFormat("%.4g", row.errors.pop.value) : "-",
        Spread(row.errors.pop), row.predicted,
        row.mechanism == nullptr
            ? "central"
            : absl::StrFormat("%.4g", row.mechanism->expected_reports_per_submission()));
    if (row.levels.has_value()) {
      absl::StrAppendFormat(&out, "%31s  %s\n", "", Plural(*row.levels, "level"));
    }
    if (setup.records()) absl::StrAppend(&out, ViewErrorsText(row, setup.users));
    if (setup.trees() && row.branching.has_value()) {
      absl::StrAppendFormat(&out, "%31s  branching %d, %s sent; every quantile exact in %.4g %%\n",
                            "", *row.branching, Plural(row.sent, "level"),
                            100 * row.quantiles_exact.value);
    }
    if (setup.levels == 0) continue;
    absl::StrAppendFormat(&out, "%31s  means: %.4g  %7s, predicted %.4g, of %s\n", "",
                          row.mean_errors.value, Spread(row.mean_errors), row.mean_predicted,
                          Plural(row.mean_keys, "key"));
  }
  return out;
}

std::string SimulationCsv(const SimulationSetup& setup, absl::Span<const Row> rows) {
  std::string out =
      "mechanism,epsilon,delta,method,feasible,central,mse_raw,mse_raw_stderr,mse_pop,"
      "mse_pop_stderr,mse_predicted,trials,messages_per_user,reason";
  if (setup.max_items > 0 || setup.numbers()) absl::StrAppend(&out, ",sent");
  if (setup.trees()) absl::StrAppend(&out, ",branching,quantiles_exact");
  if (setup.mean_only) absl::StrAppend(&out, ",levels");
  if (setup.levels > 0) {
    absl::StrAppend(&out, ",mean_mse,mean_mse_stderr,mean_mse_predicted,mean_keys");
  }
  absl::StrAppend(&out, "\n");
  for (const Row& row : rows) {
    const auto number = [&](double value) { return NumberIf(row.feasible, value); };
    absl::StrAppend(
        &out, absl::StrJoin(
                  {row.name, CsvNumber(row.epsilon), CsvNumber(row.delta), setup.method,
                   std::string(row.feasible ? "true" : "false"),
                   std::string(row.central ? "true" : "false"), number(row.errors.raw.value),
                   number(row.errors.raw.standard_error), number(row.errors.pop.value),
                   number(row.errors.pop.standard_error), number(row.predicted),
                   absl::StrCat(row.feasible ? setup.trials : 0),
                   NumberIf(row.mechanism != nullptr,
                            row.mechanism ? row.mechanism->expected_reports_per_submission() : 0),
                   CsvText(row.reason)},
                  ","));
    if (setup.max_items > 0 || setup.numbers()) {
      absl::StrAppend(&out, ",", row.sent > 0 ? absl::StrCat(row.sent) : "");
    }
    if (setup.mean_only) {
      absl::StrAppend(&out, ",", row.levels.has_value() ? absl::StrCat(*row.levels) : "");
    }
    if (setup.trees()) {
      absl::StrAppend(&out, ",", row.branching.has_value() ? absl::StrCat(*row.branching) : "", ",",
                      number(row.quantiles_exact.value));
    }
    if (setup.levels > 0) {
      absl::StrAppend(&out, ",", number(row.mean_errors.value), ",",
                      number(row.mean_errors.standard_error), ",", number(row.mean_predicted), ",",
                      row.mean_keys);
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

std::vector<ChartFile> SimulationCharts(const SimulationSetup& setup,
                                        absl::Span<const simulation::Row> rows) {
  std::vector<ChartFile> charts;
  for (const double delta : Distinct(rows, &Row::delta)) {
    std::vector<simulation::Series> raw, pop;
    for (const std::string& name : Distinct(rows, &Row::name)) {
      raw.push_back(Line(rows, name, delta, &simulation::Errors::raw));
      pop.push_back(Line(rows, name, delta, &simulation::Errors::pop));
      if (name != "local_hash" || !setup.processed()) continue;
      raw.push_back(pop.back());
      raw.back().name = "local_hash + POP (HP-SDP)";
      raw.back().style = kPostProcessedStyle;
      pop.back().name = "local_hash (HP-SDP)";
      pop.back().style = kPostProcessedStyle;
    }
    const std::string what = absl::StrFormat("%s, delta %s, %s accounting",
                                             setup.title.empty() ? setup.data : setup.title,
                                             RoundedUp(delta, 6), setup.method);
    charts.push_back({absl::StrFormat("mse-raw-delta-%g.svg", delta),
                      simulation::DrawChart({what, "epsilon", "mean squared error"}, raw)});
    if (!setup.processed()) continue;
    charts.push_back({absl::StrFormat("mse-pop-delta-%g.svg", delta),
                      simulation::DrawChart({absl::StrCat(what, ", after ", Processed(setup)),
                                             "epsilon", "mean squared error"},
                                            pop)});
  }
  return charts;
}

absl::Status WriteSimulation(const std::string& directory, const SimulationSetup& setup,
                             absl::Span<const Row> rows) {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(directory + "/simulation.csv", SimulationCsv(setup, rows)));
  if (setup.records()) {
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(directory + "/views.csv", ViewErrorsCsv(rows)));
  }
  for (const ChartFile& chart : SimulationCharts(setup, rows)) {
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(absl::StrCat(directory, "/", chart.name), chart.svg));
  }
  return absl::OkStatus();
}

}  // namespace tombola::cli
