#include "cli/simulate/streams.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/simulation/chart.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "common/json/csv.h"
#include "common/json/mechanism.h"
#include "common/plan/stream.h"
#include "common/task/whole_life.h"

namespace tombola::cli {
namespace {

using mechanism::StreamStructure;
using simulation::Mean;
using simulation::StreamRow;

// Points of a line over time.
constexpr size_t kMostPoints = 48;

std::string RowName(const StreamRow& row) {
  return absl::StrCat(row.planned.mechanism, " ", mechanism::NameOf(row.planned.structure));
}

int StyleOf(const StreamRow& row) {
  const std::vector<std::string> names = simulation::StreamMechanisms();
  const auto at = std::find(names.begin(), names.end(), row.planned.mechanism) - names.begin();
  return static_cast<int>(2 * at) + (row.planned.structure == StreamStructure::kFenwick ? 1 : 0);
}

std::string Spread(const Mean& mean) {
  return std::isfinite(mean.standard_error)
             ? absl::StrFormat("%4.1f %%", 100 * mean.standard_error / mean.value)
             : "";
}

std::string TargetText(const StreamSetup& setup, const StreamRow& row, bool epsilon) {
  const std::string& title =
      setup.simulation.title.empty() ? setup.simulation.data : setup.simulation.title;
  return absl::StrCat(title, ", ", setup.periods, " periods",
                      epsilon ? absl::StrCat(", epsilon ", RoundedUp(row.epsilon, 6)) : "",
                      ", delta ", RoundedUp(row.delta, 6));
}

simulation::Series LineOf(const StreamRow& row) {
  return {.name = RowName(row),
          .style = StyleOf(row),
          .dashed = row.planned.structure == StreamStructure::kPlain};
}

simulation::Series OverTime(const StreamRow& row) {
  simulation::Series line = LineOf(row);
  const size_t count = std::min(row.measured.size(), kMostPoints);
  for (size_t i = 1; i <= count; ++i) {
    const size_t t = row.measured.size() * i / count;
    line.points.push_back({static_cast<double>(t), row.measured[t - 1]});
  }
  return line;
}

std::string Number(bool known, double number) {
  return known && std::isfinite(number) ? absl::StrFormat("%.9g", number) : "";
}

}  // namespace

absl::StatusOr<simulation::StreamExperiment> StreamsAsked(const SimulatedStreamFlags& flags,
                                                          simulation::Experiment experiment) {
  if (!flags.periods.has_value()) {
    return absl::InvalidArgumentError("--periods must be given for --kind stream");
  }
  if (experiment.method == mechanism::Method::kPublished) {
    return absl::InvalidArgumentError("--method must be tight for --kind stream");
  }
  if (flags.device_periods < 1 || flags.device_periods > *flags.periods) {
    return absl::InvalidArgumentError(absl::StrCat("--device-periods must be in [1, ",
                                                   *flags.periods, "], as many as --periods"));
  }
  return simulation::StreamExperiment{.experiment = std::move(experiment),
                                      .structure = mechanism::StructureNamed(flags.structure),
                                      .device_periods = flags.device_periods};
}

Json StreamsJson(const StreamSetup& setup, absl::Span<const StreamRow> rows) {
  Json list = Json::array();
  for (const StreamRow& row : rows) {
    const mechanism::StreamCandidate& planned = row.planned;
    const bool holds = row.device.has_value() && row.device->delta < 1;
    const auto known = [&](double number) {
      return planned.feasible ? FiniteOrNull(number) : Json();
    };
    Json json = {{"mechanism", planned.mechanism},
                 {"structure", std::string(mechanism::NameOf(planned.structure))},
                 {"epsilon", row.epsilon},
                 {"delta", row.delta},
                 {"feasible", planned.feasible},
                 {"reason", planned.reason},
                 {"depth", planned.feasible ? Json(planned.depth) : Json()}};
    for (const auto& [name, measured, predicted] :
         {std::tuple("variance_mean", row.mean, planned.variance_mean),
          std::tuple("variance_max", row.largest, planned.variance_max),
          std::tuple("variance_single", row.single, planned.variance_single)}) {
      json[name] = known(measured.value);
      json[absl::StrCat(name, "_stderr")] = known(measured.standard_error);
      json[absl::StrCat(name, "_predicted")] = known(predicted);
    }
    json["trials"] = planned.feasible ? setup.simulation.trials : 0;
    json["messages_per_user"] = known(planned.messages);
    json["max_messages_per_user"] = planned.feasible ? Json(planned.most_messages) : Json();
    json["total_epsilon"] = holds ? Json(row.device->epsilon) : Json();
    json["total_delta"] = holds ? Json(row.device->delta) : Json();
    list.push_back(std::move(json));
  }
  return {{"data", setup.simulation.data},
          {"users", setup.simulation.users},
          {"domain", setup.simulation.domain},
          {"seed", setup.simulation.seed},
          {"real", setup.simulation.real},
          {"kind", setup.simulation.kind},
          {"periods", setup.periods},
          {"device_periods", setup.device_periods},
          {"rows", std::move(list)}};
}

std::string StreamsTable(const StreamSetup& setup, absl::Span<const StreamRow> rows) {
  const SimulationSetup& simulation = setup.simulation;
  std::string out = absl::StrFormat(
      "%s: %d periods of %d users, %d values; %d trials by %s\n\n"
      "%7s  %7s  %-11s %-9s %10s  %7s  %10s  %10s  %10s  %10s  %10s  %8s\n",
      simulation.data, setup.periods, simulation.users, simulation.domain, simulation.trials,
      simulation.real ? "devices" : "drawn counts", "epsilon", "delta", "mechanism", "structure",
      "variance", "+-", "predicted", "largest", "predicted", "a period", "predicted", "messages");
  for (const StreamRow& row : rows) {
    const mechanism::StreamCandidate& planned = row.planned;
    absl::StrAppendFormat(&out, "%7s  %7s  %-11s %-9s", RoundedUp(row.epsilon, 6),
                          RoundedUp(row.delta, 6), planned.mechanism,
                          mechanism::NameOf(planned.structure));
    if (!planned.feasible) {
      absl::StrAppend(&out, " not feasible: ", planned.reason, "\n");
      continue;
    }
    absl::StrAppendFormat(&out, " %10.4g  %7s  %10.4g  %10.4g  %10.4g  %10.4g  %10.4g  %8.4g\n",
                          row.mean.value, Spread(row.mean), planned.variance_mean,
                          row.largest.value, planned.variance_max, row.single.value,
                          planned.variance_single, planned.messages);
    if (!row.device.has_value()) continue;
    absl::StrAppendFormat(&out, "%18s a device of %d periods: %s\n", "", setup.device_periods,
                          PairText(*row.device));
  }
  absl::StrAppend(
      &out,
      "\nvariance: of the noise in a total's count of one value, the mean over all "
      "totals; largest: of the total that is\npredicted to have the most; a period: of a "
      "single one\n");
  return out;
}

std::string StreamsCsv(const StreamSetup& setup, absl::Span<const StreamRow> rows) {
  std::string out = "mechanism,structure,epsilon,delta,feasible";
  for (const char* const name : {"variance_mean", "variance_max", "variance_single"}) {
    absl::StrAppend(&out, ",", name, ",", name, "_stderr,", name, "_predicted");
  }
  absl::StrAppend(&out,
                  ",trials,messages_per_user,max_messages_per_user,total_epsilon,total_delta,"
                  "reason\n");
  for (const StreamRow& row : rows) {
    const mechanism::StreamCandidate& planned = row.planned;
    const bool there = planned.feasible;
    const bool holds = row.device.has_value() && row.device->delta < 1;
    absl::StrAppend(&out, planned.mechanism, ",", mechanism::NameOf(planned.structure), ",",
                    CsvNumber(row.epsilon), ",", CsvNumber(row.delta), ",",
                    there ? "true" : "false");
    for (const auto& [measured, predicted] :
         {std::pair(row.mean, planned.variance_mean), std::pair(row.largest, planned.variance_max),
          std::pair(row.single, planned.variance_single)}) {
      absl::StrAppend(&out, ",", Number(there, measured.value), ",",
                      Number(there, measured.standard_error), ",", Number(there, predicted));
    }
    absl::StrAppend(
        &out, ",", there ? setup.simulation.trials : 0, ",", Number(there, planned.messages), ",",
        there ? absl::StrCat(planned.most_messages) : "", ",",
        Number(holds, holds ? row.device->epsilon : 0), ",",
        Number(holds, holds ? row.device->delta : 0), ",", CsvText(planned.reason), "\n");
  }
  return out;
}

std::string StreamTotalsCsv(absl::Span<const StreamRow> rows) {
  std::string out = "mechanism,structure,epsilon,delta,last,variance,variance_predicted\n";
  for (const StreamRow& row : rows) {
    for (size_t t = 0; t < row.measured.size(); ++t) {
      absl::StrAppend(&out, row.planned.mechanism, ",", mechanism::NameOf(row.planned.structure),
                      ",", CsvNumber(row.epsilon), ",", CsvNumber(row.delta), ",", t + 1, ",",
                      Number(true, row.measured[t]), ",", Number(true, row.predicted[t]), "\n");
    }
  }
  return out;
}

namespace {

// The rows' targets, or their deltas alone: the first row of each.
std::vector<const StreamRow*> FirstOfEach(absl::Span<const StreamRow> rows, bool epsilon) {
  std::vector<const StreamRow*> first;
  for (const StreamRow& row : rows) {
    const bool seen = std::any_of(first.begin(), first.end(), [&](const StreamRow* other) {
      return other->delta == row.delta && (!epsilon || other->epsilon == row.epsilon);
    });
    if (!seen) first.push_back(&row);
  }
  return first;
}

// A line for each mechanism and structure.
std::vector<simulation::Series> AgainstEpsilon(absl::Span<const StreamRow> rows, double delta) {
  std::vector<simulation::Series> lines;
  for (const StreamRow& row : rows) {
    if (row.delta != delta) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const simulation::Series& other) {
      return other.name == RowName(row);
    });
    if (line == lines.end()) line = lines.insert(lines.end(), LineOf(row));
    line->points.push_back({row.epsilon, row.planned.feasible ? row.mean.value : NAN});
  }
  for (simulation::Series& line : lines) {
    std::sort(line.points.begin(), line.points.end(),
              [](const auto& one, const auto& other) { return one.x < other.x; });
  }
  return lines;
}

}  // namespace

std::vector<ChartFile> StreamCharts(const StreamSetup& setup, absl::Span<const StreamRow> rows) {
  std::vector<ChartFile> charts;
  for (const StreamRow* const target : FirstOfEach(rows, /*epsilon=*/true)) {
    std::vector<simulation::Series> lines;
    for (const StreamRow& row : rows) {
      if (row.delta != target->delta || row.epsilon != target->epsilon) continue;
      if (row.planned.feasible) lines.push_back(OverTime(row));
    }
    charts.push_back(
        {absl::StrFormat("totals-epsilon-%g-delta-%g.svg", target->epsilon, target->delta),
         simulation::DrawChart({TargetText(setup, *target, /*epsilon=*/true), "period",
                                "variance of a total's count"},
                               lines)});
  }
  for (const StreamRow* const target : FirstOfEach(rows, /*epsilon=*/false)) {
    charts.push_back({absl::StrFormat("variance-delta-%g.svg", target->delta),
                      simulation::DrawChart({TargetText(setup, *target, /*epsilon=*/false),
                                             "epsilon", "mean variance of totals' counts"},
                                            AgainstEpsilon(rows, target->delta))});
  }
  return charts;
}

absl::Status WriteStreams(const std::string& directory, const StreamSetup& setup,
                          absl::Span<const StreamRow> rows) {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  TOMBOLA_RETURN_IF_ERROR(
      ReplaceFile(absl::StrCat(directory, "/simulation.csv"), StreamsCsv(setup, rows)));
  TOMBOLA_RETURN_IF_ERROR(
      ReplaceFile(absl::StrCat(directory, "/totals.csv"), StreamTotalsCsv(rows)));
  for (const ChartFile& chart : StreamCharts(setup, rows)) {
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(absl::StrCat(directory, "/", chart.name), chart.svg));
  }
  return absl::OkStatus();
}

}  // namespace tombola::cli
