#include "cli/simulate/records.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/command/schema_file.h"
#include "cli/report/device_lines.h"
#include "cli/report/records_join.h"
#include "client/place/records.h"
#include "common/base/status_macros.h"
#include "common/kind/records.h"

namespace tombola::cli {
namespace {

using simulation::RecordPopulation;

constexpr size_t kLinesAtOnce = 1024;

absl::StatusOr<std::vector<client::PlacedRow>> PlacedRows(const RecordSchema& schema,
                                                          const Record& record) {
  std::vector<client::PlacedRow> rows;
  for (const tombola::Row& row : std::get<std::vector<tombola::Row>>(record)) {
    TOMBOLA_ASSIGN_OR_RETURN(rows.emplace_back(), client::ReadRow(schema, row));
  }
  return rows;
}

absl::StatusOr<RecordPopulation> ReadPopulation(const std::string& path,
                                                const simulation::DataRequest& request,
                                                const RecordSchema& schema, RecordsJoin join) {
  TOMBOLA_RETURN_IF_ERROR(simulation::ValidateSizes(request));
  TOMBOLA_ASSIGN_OR_RETURN(std::ifstream file, simulation::OpenFile(path));
  DeviceLines lines(file, [&](absl::string_view line) { return join.ReadLine(line); });
  RecordPopulation population(schema);
  const int64_t wanted = request.users.value_or(std::numeric_limits<int64_t>::max());
  while (population.users() < wanted) {
    const auto left = static_cast<size_t>(
        std::min<int64_t>(wanted - population.users(), static_cast<int64_t>(kLinesAtOnce)));
    const Devices devices = lines.Next(left);
    if (lines.bad() > 0) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", ToText(lines.complaints()[0])));
    }
    if (devices.values.empty()) break;
    for (size_t i = 0; i < devices.values.size(); ++i) {
      const auto rows = PlacedRows(schema, devices.values[i]);
      if (!rows.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ": line ", devices.lines[i], ": ", rows.status().message()));
      }
      population.Add(*rows);
    }
    if (population.fields() > RecordPopulation::kMostFields) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": its records have more than ", RecordPopulation::kMostFields,
                       " attributes and measures in all; --users takes the first lines"));
    }
  }
  if (population.users() < request.users.value_or(1)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has ", population.users(), " lines; ",
                                                   request.users.value_or(1), " are needed"));
  }
  return population;
}

}  // namespace

absl::StatusOr<SimulatedRecords> MakeRecords(const simulation::DataRequest& request,
                                             const std::string& schema_file) {
  SimulatedRecords records;
  TOMBOLA_ASSIGN_OR_RETURN(records.asked, ReadRecordsSchema(schema_file));
  if (records.asked.max_records() == 0) {
    return absl::InvalidArgumentError(
        "--schema: max_records must be a number where it is simulated; `tombola plan --sizes` says "
        "which is best");
  }
  v1::Records whole = records.asked;
  if (whole.max_alike() == 0) whole.set_max_alike(whole.max_records());
  TOMBOLA_ASSIGN_OR_RETURN(const RecordSchema schema, RecordSchema::Read(whole));
  records.max_records = schema.max_records;
  const std::optional<std::string> path = simulation::FileOf(request);
  if (path.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(RecordsJoin join, RecordsJoin::Read(schema_file));
    TOMBOLA_ASSIGN_OR_RETURN(RecordPopulation population,
                             ReadPopulation(*path, request, schema, std::move(join)));
    records.population = std::make_shared<const RecordPopulation>(std::move(population));
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(RecordPopulation population, simulation::DrawRecords(request, schema));
    records.population = std::make_shared<const RecordPopulation>(std::move(population));
  }
  return records;
}

}  // namespace tombola::cli
