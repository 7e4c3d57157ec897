#include "cli/query/records.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/rows.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/kind/number_text.h"
#include "common/kind/record_text.h"
#include "common/kind/records.h"

namespace tombola::cli {
namespace {

constexpr int kBarCells = 24;
constexpr size_t kLongestValue = 32;
constexpr int kMostDrawnCells = 1000;

const RecordSchema& SchemaOf(const Task& task) {
  return static_cast<const RecordsKind&>(task.kind()).cells().schema;
}

absl::Status AskRecords(const QueryOptions& options, const Task& task,
                        v1::GetAnswerRequest* request) {
  if (options.top.has_value() || !options.values.empty() || options.sort == "frequency") {
    return absl::InvalidArgumentError(
        "--top, --values and --sort frequency are not for records: --where ATTRIBUTE=A..B asks for "
        "some of them, and cells are in order");
  }
  if (options.format == "svg" && options.by.empty()) {
    return absl::InvalidArgumentError("--format svg draws the cells of --by, which must be given");
  }
  v1::RecordsQuestion* const question = request->mutable_records();
  for (const std::string& text : options.where) {
    TOMBOLA_ASSIGN_OR_RETURN(*question->add_where(), ParseCondition(text, SchemaOf(task)));
  }
  question->set_measure(options.measure);
  for (const std::string& name : options.by) question->add_by(name);
  question->set_independence(options.independence);
  if (options.quantile.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<double>> fractions = ParseFractions(options.quantile);
  if (!fractions.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--quantile ", fractions.status().message()));
  }
  question->mutable_fractions()->Add(fractions->begin(), fractions->end());
  return absl::OkStatus();
}

const Field* FieldOf(const tombola::Row& row, const std::string& name) {
  for (const Field& field : row) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

// Whether a row meets a condition; of a number the last edge is within.
bool Meets(const tombola::Row& row, const v1::Condition& condition, const RecordSchema& schema) {
  const Field* const field = FieldOf(row, condition.attribute());
  if (field == nullptr) return false;
  if (!condition.has_range()) {
    const auto* const label = std::get_if<std::string>(&field->value);
    return label != nullptr && std::find(condition.labels().begin(), condition.labels().end(),
                                         *label) != condition.labels().end();
  }
  const auto* const number = std::get_if<double>(&field->value);
  const auto place = schema.AttributeNamed(condition.attribute());
  if (number == nullptr || !place.ok()) return false;
  const bool last = condition.range().high() == schema.attributes[*place].bins->high();
  return *number >= condition.range().low() &&
         (*number < condition.range().high() || (last && *number == condition.range().high()));
}

// Of all records of the file's devices, those beyond max_records too.
absl::StatusOr<Truth> RecordsTruth(const v1::Answer& answer, const Task& task,
                                   const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, DevicesOf(task, path));
  const v1::Aggregates& body = answer.records();
  NumbersTruth known;
  for (const Record& device : devices.values) {
    for (const tombola::Row& row : std::get<std::vector<tombola::Row>>(device)) {
      const bool counts = std::all_of(
          body.where().begin(), body.where().end(),
          [&](const v1::Condition& condition) { return Meets(row, condition, SchemaOf(task)); });
      if (!counts) continue;
      known.count += 1;
      const Field* const measure = FieldOf(row, body.measure());
      const auto* const number =
          measure == nullptr ? nullptr : std::get_if<double>(&measure->value);
      if (number != nullptr) known.sum += *number;
    }
  }
  known.mean = known.sum / known.count;
  Truth truth;
  truth.numbers = std::move(known);
  return truth;
}

std::string EstimateText(bool there, const v1::Estimate& estimate) {
  if (!there) return "too few records";
  return absl::StrFormat("%.5g, %.5g to %.5g", estimate.value(), estimate.low(), estimate.high());
}

std::string WhereText(const v1::Aggregates& body) {
  if (body.where().empty()) return "all records";
  return absl::StrJoin(body.where(), " and ", [](std::string* out, const v1::Condition& of) {
    absl::StrAppend(out, of.attribute(), " ",
                    of.has_range() ? absl::StrCat(of.range().low(), "..", of.range().high())
                                   : absl::StrJoin(of.labels(), ","));
  });
}

std::string NameOfCell(const v1::AggregateCell& cell) {
  return absl::StrJoin(cell.values(), ", ", [](std::string* out, const v1::CellValue& value) {
    absl::StrAppend(out, value.label());
  });
}

void WriteCells(const v1::Aggregates& body, std::ostream& out) {
  const bool measure = !body.measure().empty();
  size_t longest = 5;
  double most = 0;
  for (const v1::AggregateCell& cell : body.cells()) {
    longest = std::max<size_t>(longest, Cells(NameOfCell(cell)));
    most = std::max(most, cell.count().value());
  }
  longest = std::min(longest, kLongestValue);
  out << absl::StrFormat("\n%s %9s %9s%s\n", Fit(absl::StrJoin(body.by(), ", "), longest), "count",
                         "stderr", measure ? absl::StrFormat(" %9s %9s", "avg", "stderr") : "");
  for (const v1::AggregateCell& cell : body.cells()) {
    out << Fit(NameOfCell(cell), longest)
        << absl::StrFormat(" %9.0f %9.3g", cell.count().value(), cell.count().standard_error());
    if (measure) {
      out << (cell.has_average() ? absl::StrFormat(" %9.4g %9.3g", cell.average().value(),
                                                   cell.average().standard_error())
                                 : std::string("         -         -"));
    }
    const double share = most > 0 ? std::clamp(cell.count().value() / most, 0.0, 1.0) : 0;
    std::string bar;
    for (int i = 0; i < static_cast<int>(std::lround(share * kBarCells)); ++i) bar += "█";
    out << (bar.empty() ? "" : " ") << bar << "\n";
  }
}

std::string IndependenceText(const v1::Aggregates& body) {
  const std::string names = absl::StrJoin(body.by(), " and ");
  if (!body.has_independence()) {
    return absl::StrCat("too few records to tell whether ", names, " are independent\n");
  }
  const v1::Independence& test = body.independence();
  const std::string p_value =
      test.p_value() < 1e-4 ? "below 0.0001" : absl::StrFormat("%.4f", test.p_value());
  return absl::StrFormat(
      "independence of %s: chi-square %.4g with %d degrees of freedom, p-value %s\n", names,
      test.statistic(), test.degrees_of_freedom(), p_value);
}

void WriteRecords(const QueryOptions& options, const v1::Answer& answer, const Task&,
                  const Truth& truth, std::ostream& out) {
  const v1::Aggregates& body = answer.records();
  out << absl::StrFormat("%s, with %s %% intervals\n", WhereText(body),
                         PercentText(options.confidence, 4));
  const auto line = [&](const char* name, bool there, const v1::Estimate& estimate, double known) {
    out << absl::StrFormat("  %-8s %s", name, EstimateText(there, estimate));
    if (truth.numbers.has_value()) out << absl::StrFormat("   truth %.5g", known);
    out << "\n";
  };
  const NumbersTruth known = truth.numbers.value_or(NumbersTruth{});
  line("count", body.has_count(), body.count(), known.count);
  if (!body.measure().empty()) {
    line("sum", body.has_sum(), body.sum(), known.sum);
    line("avg", body.has_average(), body.average(), known.mean);
  }
  for (int i = 0; i < body.fractions_size(); ++i) {
    const bool there = i < body.quantiles_size();
    out << absl::StrFormat("  %-8g %s\n", body.fractions(i),
                           EstimateText(there, there ? body.quantiles(i) : v1::Estimate()));
  }
  if (!body.cells().empty()) WriteCells(body, out);
  if (options.independence) out << IndependenceText(body);
  out << absl::StrFormat("counted: %s; all records %.0f\n", body.counted(), body.records().value());
  if (body.partial() > 0) {
    out << absl::StrFormat(
        "! %.0f records are in cells that the conditions cut: a part was taken, as if they were "
        "spread evenly\n",
        body.partial());
  }
}

// The cells as shares of all records.
v1::Histogram SharesOf(const v1::Aggregates& body) {
  v1::Histogram shares;
  const double all = std::max(1.0, body.records().value());
  for (const v1::AggregateCell& cell : body.cells()) {
    shares.add_values(static_cast<uint64_t>(shares.values_size()));
    shares.add_labels(NameOfCell(cell));
    shares.add_frequencies(std::max(0.0, cell.count().value() / all));
    shares.add_raw(cell.count().value() / all);
    shares.add_standard_errors(cell.count().standard_error() / all);
    shares.add_low(cell.count().low() / all);
    shares.add_high(cell.count().high() / all);
    if (shares.values_size() == kMostDrawnCells) break;
  }
  return shares;
}

}  // namespace

QueryFace RecordsFace() {
  return {.kind = RecordsKind::kName,
          .usual_postprocess = "none",
          .ask = &AskRecords,
          .sort = [](BinOrder, v1::Answer*) {},
          .truth = &RecordsTruth,
          .write_table = &WriteRecords,
          .write_chart =
              [](const QueryOptions& options, const v1::Answer& answer, const Task& task,
                 const Truth&, std::ostream& out) {
                v1::Answer shares = answer;
                *shares.mutable_histogram() = SharesOf(answer.records());
                out << DrawHistogramChart(shares, {.title = task.name(),
                                                   .postprocess = options.postprocess,
                                                   .confidence = options.confidence,
                                                   .domain = shares.histogram().values_size()});
              },
          .beside_rows =
              [](const QueryOptions&, const v1::Answer& answer) {
                return absl::StrFormat("counted: %s\n", answer.records().counted());
              }};
}

}  // namespace tombola::cli
