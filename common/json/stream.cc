#include "common/json/stream.h"

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/columns.h"
#include "common/json/histogram.h"

namespace tombola {
namespace {

constexpr int kMostCsvRuns = 16;
// Of so many runs of periods in a row, twice.
constexpr int64_t kCsvRunsText = 2 * (kMostCsvRuns * 10 + 3);

void AppendRuns(absl::string_view name,
                const google::protobuf::RepeatedPtrField<v1::PeriodRun>& runs, std::string* out) {
  absl::StrAppend(out, "\"", name, "\":[");
  for (int i = 0; i < runs.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", "{\"first\":", runs[i].first(),
                    ",\"last\":", runs[i].last(), "}");
  }
  out->append("],");
}

void AppendTotal(const v1::StreamTotal& total, const std::vector<double>& truth, std::string* out) {
  absl::StrAppend(out, "\"submissions\":", total.submissions(), ",");
  AppendRuns("missing", total.missing(), out);
  AppendRuns("strange", total.strange(), out);
  out->append("\"max_error\":");
  if (total.has_shares()) {
    AppendNumber(total.shares().max_error(), out);
  } else {
    out->append("null");
  }
  out->push_back(',');
  using Column = google::protobuf::RepeatedField<double>;
  AppendBins(total.shares(), truth, out, NamedColumn<Column>{"count", total.counts()},
             NamedColumn<Column>{"count_stderr", total.count_standard_errors()},
             NamedColumn<Column>{"count_low", total.count_low()},
             NamedColumn<Column>{"count_high", total.count_high()});
}

void AppendSeries(const v1::StreamTotals& totals, std::string* out) {
  out->push_back('[');
  for (int i = 0; i < totals.totals_size(); ++i) {
    const v1::StreamTotal& total = totals.totals(i);
    absl::StrAppend(out, i == 0 ? "" : ",", "{\"periods\":{\"first\":", total.first(),
                    ",\"last\":", total.last(), "},");
    AppendTotal(total, {}, out);
    out->push_back('}');
  }
  out->push_back(']');
}

// "2-3;5". Every row of a total has them, and so they end.
std::string CsvRuns(const google::protobuf::RepeatedPtrField<v1::PeriodRun>& runs) {
  std::string out;
  for (int i = 0; i < runs.size(); ++i) {
    if (i > 0) out.push_back(';');
    if (i == kMostCsvRuns) return absl::StrCat(out, "...");
    absl::StrAppend(&out, runs[i].first());
    if (runs[i].last() > runs[i].first()) absl::StrAppend(&out, "-", runs[i].last());
  }
  return out;
}

}  // namespace

void AppendStreamJson(const v1::StreamTotals& totals, const std::vector<double>& truth,
                      std::string* out) {
  if (totals.totals_size() == 1) {
    AppendTotal(totals.totals(0), truth, out);
  } else {
    out->append("\"series\":");
    AppendSeries(totals, out);
  }
  out->append(",\"counted\":");
  AppendText(totals.counted(), out);
  out->append(",\"void_nodes\":[");
  for (int i = 0; i < totals.void_nodes_size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", totals.void_nodes(i));
  }
  out->push_back(']');
}

Json SeriesOfOne(const v1::StreamTotals& totals) {
  if (totals.totals_size() != 1) return Json::object();
  std::string series;
  AppendSeries(totals, &series);
  return {{"series", Json::parse(series)}};
}

std::string StreamCsv(const v1::StreamTotals& totals, const std::vector<double>& truth) {
  std::string out =
      "first,last,submissions,missing,strange,value,frequency,raw,stderr,low,high,count,count_"
      "stderr,"
      "count_low,count_high";
  out.append(truth.empty() ? "\r\n" : ",truth\r\n");
  for (const v1::StreamTotal& total : totals.totals()) {
    const v1::Histogram& shares = total.shares();
    const std::string head =
        absl::StrCat(total.first(), ",", total.last(), ",", total.submissions(), ",",
                     CsvRuns(total.missing()), ",", CsvRuns(total.strange()), ",");
    for (int row = 0; row < shares.values_size(); ++row) {
      out.append(head);
      AppendCsvText(NameOf(shares, row), &out);
      for (const double number :
           {shares.frequencies(row), shares.raw(row), shares.standard_errors(row), shares.low(row),
            shares.high(row), total.counts(row), total.count_standard_errors(row),
            total.count_low(row), total.count_high(row)}) {
        out.push_back(',');
        AppendCsvNumber(number, &out);
      }
      if (!truth.empty()) {
        out.push_back(',');
        AppendCsvNumber(truth[static_cast<size_t>(row)], &out);
      }
      out.append("\r\n");
    }
  }
  return out;
}

int64_t MostStreamText(int64_t totals, int64_t rows, int64_t label_bytes) {
  // The head of a total, and four numbers and two lists of periods more a row than a histogram
  // has.
  return 4096 + totals * (MostHistogramText(rows, label_bytes) + (160 + kCsvRunsText) * rows);
}

void Sort(BinOrder order, v1::StreamTotals& totals) {
  // Those before the first with shares have none to sort, and all have the same values.
  if (totals.totals().empty() || !totals.totals().rbegin()->has_shares()) return;
  const v1::Histogram last = totals.totals().rbegin()->shares();
  std::vector<int> rows(static_cast<size_t>(last.values_size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](int a, int b) {
    if (order == BinOrder::kFrequency && last.frequencies(a) != last.frequencies(b)) {
      return last.frequencies(a) > last.frequencies(b);
    }
    return last.values(a) < last.values(b);
  });
  for (v1::StreamTotal& total : *totals.mutable_totals()) {
    for (auto* const column : {total.mutable_counts(), total.mutable_count_standard_errors(),
                               total.mutable_count_low(), total.mutable_count_high()}) {
      Reorder(rows, column);
    }
    if (!total.has_shares()) continue;
    v1::Histogram& shares = *total.mutable_shares();
    Reorder(rows, shares.mutable_values());
    Reorder(rows, shares.mutable_labels());
    for (auto* const column :
         {shares.mutable_frequencies(), shares.mutable_raw(), shares.mutable_standard_errors(),
          shares.mutable_low(), shares.mutable_high()}) {
      Reorder(rows, column);
    }
  }
}

}  // namespace tombola
