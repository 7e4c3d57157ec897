#include "common/json/records.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/csv.h"
#include "common/json/number.h"
#include "common/json/text.h"

namespace tombola {
namespace {

void AppendName(absl::string_view name, std::string* out) {
  AppendText(name, out);
  out->push_back(':');
}

// `estimate` as an object with the truth in it, where that is known.
void AppendKnown(bool there, const v1::Estimate& estimate, const double* truth, std::string* out) {
  std::string text = EstimateJson(there, estimate);
  if (there && truth != nullptr) {
    text.pop_back();
    text.append(",\"truth\":");
    AppendNumber(*truth, &text);
    text.push_back('}');
  }
  out->append(text);
}

// Count, sum and average, of the whole or of a cell.
template <typename Sums>
void AppendSums(const Sums& of, const NumbersTruth* known, std::string* out) {
  out->append("\"count\":");
  AppendKnown(of.has_count(), of.count(), known ? &known->count : nullptr, out);
  out->append(",\"sum\":");
  AppendKnown(of.has_sum(), of.sum(), known ? &known->sum : nullptr, out);
  out->append(",\"avg\":");
  AppendKnown(of.has_average(), of.average(), known ? &known->mean : nullptr, out);
}

void AppendCondition(const v1::Condition& condition, std::string* out) {
  AppendName(condition.attribute(), out);
  if (condition.has_range()) {
    out->append("{\"low\":");
    AppendNumber(condition.range().low(), out);
    out->append(",\"high\":");
    AppendNumber(condition.range().high(), out);
    out->push_back('}');
    return;
  }
  out->push_back('[');
  for (int i = 0; i < condition.labels_size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendText(condition.labels(i), out);
  }
  out->push_back(']');
}

void AppendCell(const v1::AggregateCell& cell, const NumbersTruth* known, std::string* out) {
  out->append("{\"values\":[");
  for (int i = 0; i < cell.values_size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendText(cell.values(i).label(), out);
  }
  const auto edges = [&](absl::string_view name, double (v1::NumberRange::*edge)() const) {
    absl::StrAppend(out, "],\"", name, "\":[");
    for (int i = 0; i < cell.values_size(); ++i) {
      if (i > 0) out->push_back(',');
      if (cell.values(i).has_range()) {
        AppendNumber((cell.values(i).range().*edge)(), out);
      } else {
        out->append("null");
      }
    }
  };
  edges("low_edges", &v1::NumberRange::low);
  edges("high_edges", &v1::NumberRange::high);
  out->append("],");
  AppendSums(cell, known, out);
  out->push_back('}');
}

void AppendQuantilesOf(const v1::Aggregates& records, const NumbersTruth* known, std::string* out) {
  out->append(",\"quantiles\":{");
  for (int i = 0; i < records.fractions_size(); ++i) {
    out->append(i == 0 ? "\"" : ",\"");
    AppendNumber(records.fractions(i), out);
    out->append("\":");
    const bool there = i < records.quantiles_size();
    AppendKnown(there, there ? records.quantiles(i) : v1::Estimate(),
                known ? &known->quantiles[static_cast<size_t>(i)] : nullptr, out);
  }
  out->push_back('}');
}

void AppendColumns(absl::string_view name, std::string* out) {
  for (const absl::string_view part : {"", "_stderr", "_low", "_high"}) {
    absl::StrAppend(out, ",", name, part);
  }
}

void AppendEstimateColumns(bool there, const v1::Estimate& estimate, std::string* out) {
  for (const double number :
       {estimate.value(), estimate.standard_error(), estimate.low(), estimate.high()}) {
    out->push_back(',');
    if (there) AppendCsvNumber(number, out);
  }
}

// The end of a row: its estimates.
template <typename Of>
void AppendEstimatesOf(const Of& of, bool measure, std::string* out) {
  AppendEstimateColumns(of.has_count(), of.count(), out);
  if (measure) {
    AppendEstimateColumns(of.has_sum(), of.sum(), out);
    AppendEstimateColumns(of.has_average(), of.average(), out);
  }
  out->append("\r\n");
}

void AppendIndependence(const v1::Aggregates& records, std::string* out) {
  if (!records.has_independence()) {
    out->append("null");
    return;
  }
  const v1::Independence& test = records.independence();
  out->append("{\"statistic\":");
  AppendNumber(test.statistic(), out);
  absl::StrAppend(out, ",\"degrees_of_freedom\":", test.degrees_of_freedom(), ",\"p_value\":");
  AppendNumber(test.p_value(), out);
  out->push_back('}');
}

}  // namespace

void AppendRecordsJson(const v1::Aggregates& records, const Truth& truth, std::string* out) {
  const NumbersTruth* const known = truth.numbers.has_value() ? &*truth.numbers : nullptr;
  out->append("\"where\":{");
  for (int i = 0; i < records.where_size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendCondition(records.where(i), out);
  }
  out->append("},\"measure\":");
  if (records.measure().empty()) {
    out->append("null");
  } else {
    AppendText(records.measure(), out);
  }
  out->push_back(',');
  AppendSums(records, known, out);
  out->append(",\"partial\":");
  AppendNumber(records.partial(), out);
  absl::StrAppend(out, ",\"records\":", EstimateJson(records.has_records(), records.records()));
  AppendQuantilesOf(records, known, out);
  out->append(",\"by\":[");
  for (int i = 0; i < records.by_size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendText(records.by(i), out);
  }
  out->append("],\"cells\":[");
  for (int i = 0; i < records.cells_size(); ++i) {
    if (i > 0) out->push_back(',');
    const bool has = static_cast<size_t>(i) < truth.cells.size();
    AppendCell(records.cells(i), has ? &truth.cells[static_cast<size_t>(i)] : nullptr, out);
  }
  out->append("],\"independence\":");
  AppendIndependence(records, out);
  out->append(",\"counted\":");
  AppendText(records.counted(), out);
}

std::string RecordsCsv(const v1::Aggregates& records) {
  const bool measure = !records.measure().empty();
  std::string out;
  for (const std::string& name : records.by()) {
    AppendCsvText(name, &out);
    out.push_back(',');
  }
  std::string names;
  AppendColumns("count", &names);
  if (measure) {
    AppendColumns("sum", &names);
    AppendColumns("avg", &names);
  }
  out.append(names, 1);
  out.append("\r\n");
  std::string row;
  if (records.by().empty()) {
    AppendEstimatesOf(records, measure, &row);
    return absl::StrCat(out, row.substr(1));
  }
  for (const v1::AggregateCell& cell : records.cells()) {
    for (int i = 0; i < cell.values_size(); ++i) {
      if (i > 0) out.push_back(',');
      AppendCsvText(cell.values(i).label(), &out);
    }
    AppendEstimatesOf(cell, measure, &out);
  }
  return out;
}

}  // namespace tombola
