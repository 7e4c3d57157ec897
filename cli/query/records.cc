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
#include "cli/query/estimate_lines.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/records_truth.h"
#include "cli/query/rows.h"
#include "cli/report/records_join.h"
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
constexpr size_t kCellIntervalCells = 18;
// A table of more is no table.
constexpr int kMostTableCells = 50;
constexpr int kMostDrawnCells = 1000;
constexpr absl::string_view kTooFewRecords = "too few records";

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

absl::StatusOr<Devices> HeldRecords(const QueryOptions& options, const Task& task) {
  if (options.schema.empty()) return DevicesOf(task, options.truth);
  TOMBOLA_ASSIGN_OR_RETURN(const RecordsJoin join, RecordsJoin::Read(options.schema));
  return DevicesOf([&](absl::string_view line) { return join.ReadLine(line); }, options.truth);
}

// Of all records of the file's devices, those beyond max_records too.
absl::StatusOr<Truth> TruthOfRecords(const QueryOptions& options, const v1::Answer& answer,
                                     const Task& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const Devices devices, HeldRecords(options, task));
  RecordsTruth truth(answer.records(), SchemaOf(task));
  for (const Record& device : devices.values) {
    for (const tombola::Row& row : std::get<std::vector<tombola::Row>>(device)) truth.Add(row);
  }
  return truth.Take();
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

std::string WithoutBlanks(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// An estimate in a row of cells, what is true of it where that is known, and a flag; and what
// stands above it.
std::string CellText(int decimals, const v1::Estimate& estimate, const double* truth) {
  const std::string interval =
      absl::StrFormat("%.*f to %.*f", decimals, estimate.low(), decimals, estimate.high());
  std::string text =
      absl::StrFormat(" %9.*f   %s", decimals, estimate.value(), Fit(interval, kCellIntervalCells));
  if (truth == nullptr) return text;
  absl::StrAppendFormat(&text, " %8.*f %c", decimals, *truth,
                        Outside(estimate, *truth) ? '!' : ' ');
  return text;
}

std::string CellHeading(absl::string_view name, bool truth) {
  return absl::StrFormat(" %9s   %s%s", name, Fit("interval", kCellIntervalCells),
                         truth ? "    truth  " : "");
}

// So many that an average is told to a thousandth of the measure's range.
int DecimalsOf(const Levels& levels) {
  return std::clamp(static_cast<int>(std::ceil(3 - std::log10(levels.high - levels.low))), 0, 6);
}

std::string BarOf(const v1::AggregateCell& cell, double most) {
  const double share = most > 0 ? std::clamp(cell.count().value() / most, 0.0, 1.0) : 0;
  std::string bar;
  for (int i = 0; i < static_cast<int>(std::lround(share * kBarCells)); ++i) bar += "█";
  return bar.empty() ? "" : absl::StrCat(" ", bar);
}

// With averages where there is a measure, else with bars.
std::string CellLine(const v1::AggregateCell& cell, size_t name_cells, double most,
                     const Levels* measure, const NumbersTruth* truth) {
  std::string line = absl::StrCat(Fit(NameOfCell(cell), name_cells),
                                  CellText(0, cell.count(), truth ? &truth->count : nullptr));
  if (measure == nullptr) {
    absl::StrAppend(&line, BarOf(cell, most));
  } else if (cell.has_average()) {
    absl::StrAppend(&line,
                    CellText(DecimalsOf(*measure), cell.average(), truth ? &truth->mean : nullptr));
  } else {
    absl::StrAppend(&line, "         -   ", kTooFewRecords);
  }
  return WithoutBlanks(std::move(line));
}

void WriteCells(const v1::Aggregates& body, const Levels* measure, const Truth& truth,
                std::ostream& out) {
  const bool known = !truth.cells.empty();
  const std::string names = absl::StrJoin(body.by(), ", ");
  size_t longest = Cells(names);
  double most = 0;
  for (const v1::AggregateCell& cell : body.cells()) {
    longest = std::max(longest, Cells(NameOfCell(cell)));
    most = std::max(most, cell.count().value());
  }
  longest = std::min(longest, kLongestValue);
  out << "\n"
      << WithoutBlanks(absl::StrCat(Fit(names, longest), CellHeading("count", known),
                                    measure != nullptr ? CellHeading("avg", known) : ""))
      << "\n";
  for (int i = 0; i < body.cells_size(); ++i) {
    const NumbersTruth* const here = known ? &truth.cells[static_cast<size_t>(i)] : nullptr;
    out << CellLine(body.cells(i), longest, most, measure, here) << "\n";
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

const Levels* MeasureOf(const v1::Aggregates& body, const Task& task) {
  const auto place = SchemaOf(task).MeasureNamed(body.measure());
  return place.ok() ? &SchemaOf(task).measures[*place].levels : nullptr;
}

void WriteEstimates(const QueryOptions& options, const v1::Aggregates& body, const Truth& truth,
                    std::ostream& out) {
  const NumbersTruth* const known = truth.numbers.has_value() ? &*truth.numbers : nullptr;
  const auto line = [&](absl::string_view name, bool there, const v1::Estimate& estimate,
                        const double* value) {
    out << (there ? EstimateLine(name, estimate, value) : MissingLine(name, kTooFewRecords));
  };
  out << EstimateHeading(options.confidence, known != nullptr);
  line("records", body.has_count(), body.count(), known ? &known->count : nullptr);
  if (!body.measure().empty()) {
    line("sum", body.has_sum(), body.sum(), known ? &known->sum : nullptr);
    line("avg", body.has_average(), body.average(), known ? &known->mean : nullptr);
  }
  for (int i = 0; i < body.fractions_size(); ++i) {
    const bool there = i < body.quantiles_size();
    line(absl::StrFormat("quantile %g", body.fractions(i)), there,
         there ? body.quantiles(i) : v1::Estimate(),
         known ? &known->quantiles[static_cast<size_t>(i)] : nullptr);
  }
}

void WriteRecords(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                  const Truth& truth, std::ostream& out) {
  const v1::Aggregates& body = answer.records();
  out << WhereText(body) << "\n";
  WriteEstimates(options, body, truth, out);
  if (body.cells_size() > kMostTableCells) {
    out << absl::StrFormat("\n%d cells by %s: --format csv or json lists them\n", body.cells_size(),
                           absl::StrJoin(body.by(), ", "));
  } else if (!body.cells().empty()) {
    WriteCells(body, MeasureOf(body, task), truth, out);
  }
  if (options.independence) out << IndependenceText(body);
  out << absl::StrFormat("counted: %s; all records %.0f, up to %d of a device\n", body.counted(),
                         body.records().value(), SchemaOf(task).max_records);
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
          .truth = &TruthOfRecords,
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
              [](const QueryOptions&, const v1::Answer& answer, const Task&) {
                return absl::StrFormat("counted: %s\n", answer.records().counted());
              }};
}

}  // namespace tombola::cli
