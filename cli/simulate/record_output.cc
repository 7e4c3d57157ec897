#include "cli/simulate/record_output.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/json/csv.h"
#include "common/json/mechanism.h"

namespace tombola::cli {
namespace {

using simulation::RecordError;
using simulation::Row;

std::string ViewName(const Row& row, size_t view) {
  const RecordCells& cells = row.record_data->cells();
  return cells.views[view].Describe(cells.schema);
}

const char* NameOf(RecordError::Of of) {
  switch (of) {
    case RecordError::Of::kCells:
      return "cells";
    case RecordError::Of::kRanges:
      return "ranges";
    case RecordError::Of::kAll:
      break;
  }
  return "all";
}

const char* NameOf(RecordError::What what) {
  switch (what) {
    case RecordError::What::kCount:
      return "count";
    case RecordError::What::kSum:
      return "sum";
    case RecordError::What::kAverage:
      break;
  }
  return "avg";
}

std::vector<RecordError> ErrorsOf(const Row& row) {
  return row.records.has_value() ? row.records->errors : std::vector<RecordError>();
}

}  // namespace

Json ViewErrorsJson(const Row& row) {
  Json views = Json::array();
  for (const RecordError& error : ErrorsOf(row)) {
    if (views.size() <= error.view) {
      views.push_back(Json{{"view", ViewName(row, error.view)}, {"errors", Json::array()}});
    }
    views.back()["errors"].push_back(
        Json{{"of", NameOf(error.of)},
             {"what", NameOf(error.what)},
             {"answers", error.answers},
             {"mse", FiniteOrNull(error.measured.value)},
             {"mse_stderr", FiniteOrNull(error.measured.standard_error)},
             {"mse_predicted", FiniteOrNull(error.predicted)}});
  }
  return views;
}

std::string ViewErrorsText(const Row& row, int64_t users) {
  std::string out;
  size_t views = 0;
  for (const RecordError& error : ErrorsOf(row)) {
    if (views == error.view) {
      absl::StrAppendFormat(&out, "%9s%s\n", "", ViewName(row, error.view));
      ++views;
    }
    const double unit = error.what == RecordError::What::kAverage ? 1 : static_cast<double>(users);
    absl::StrAppendFormat(&out, "%11s%-6s  %-5s  off by %10.4g, predicted %10.4g%s\n", "",
                          NameOf(error.of), NameOf(error.what),
                          unit * std::sqrt(error.measured.value), unit * std::sqrt(error.predicted),
                          error.answers > 1 ? absl::StrFormat(", over %d", error.answers) : "");
  }
  return out;
}

std::string ViewErrorsCsv(absl::Span<const Row> rows) {
  std::string out = "mechanism,epsilon,delta,view,of,what,answers,mse,mse_stderr,mse_predicted\n";
  for (const Row& row : rows) {
    for (const RecordError& error : ErrorsOf(row)) {
      const auto number = [](double value) {
        return std::isfinite(value) ? absl::StrFormat("%.9g", value) : std::string();
      };
      absl::StrAppend(
          &out,
          absl::StrJoin({row.name, CsvNumber(row.epsilon), CsvNumber(row.delta),
                         CsvText(ViewName(row, error.view)), std::string(NameOf(error.of)),
                         std::string(NameOf(error.what)), absl::StrCat(error.answers),
                         number(error.measured.value), number(error.measured.standard_error),
                         number(error.predicted)},
                        ","),
          "\n");
    }
  }
  return out;
}

}  // namespace tombola::cli
