#include "common/json/stream.h"

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/columns.h"
#include "common/json/histogram.h"
#include "common/json/items.h"
#include "common/json/number.h"

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
  if (total.has_number()) {
    out->append("\"number\":{");
    AppendNumbersJson(total.number(), {}, out);
    out->push_back('}');
    return;
  }
  out->append("\"max_error\":");
  if (total.has_shares()) {
    AppendNumber(total.shares().max_error(), out);
  } else {
    out->append("null");
  }
  out->push_back(',');
  if (total.has_sizes()) AppendSizes(total.sizes(), out);
  using Column = google::protobuf::RepeatedField<double>;
  const NamedColumn<Column> count{"count", total.counts()};
  const NamedColumn<Column> error{"count_stderr", total.count_standard_errors()};
  const NamedColumn<Column> low{"count_low", total.count_low()};
  const NamedColumn<Column> high{"count_high", total.count_high()};
  if (total.means().empty()) {
    AppendBins(total.shares(), truth, out, count, error, low, high);
    return;
  }
  AppendBins(total.shares(), truth, out, count, error, low, high,
             NamedColumn<Column>{"mean", total.means()},
             NamedColumn<Column>{"mean_stderr", total.mean_standard_errors()},
             NamedColumn<Column>{"mean_low", total.mean_low()},
             NamedColumn<Column>{"mean_high", total.mean_high()});
}

// The names of an estimate's columns, each after a comma.
void AppendEstimateNames(absl::string_view of, std::string* out) {
  absl::StrAppend(out, ",", of, ",", of, "_stderr,", of, "_low,", of, "_high");
}

// Nothing but commas where it is not there.
void AppendCsvEstimate(bool there, const v1::Estimate& estimate, std::string* out) {
  for (const double number :
       {estimate.value(), estimate.standard_error(), estimate.low(), estimate.high()}) {
    out->push_back(',');
    if (there) AppendCsvNumber(number, out);
  }
}

std::string HeadCsv(const v1::StreamTotal& total);

// A row for each total: its bins are in JSON alone.
std::string StreamNumbersCsv(const v1::StreamTotals& totals) {
  std::string out = "first,last,submissions,missing,strange";
  for (const char* const of : {"count", "mean", "sum"}) AppendEstimateNames(of, &out);
  // All totals were asked for the same; one without submissions has none.
  const v1::Distribution* asked = &totals.totals(0).number();
  for (const v1::StreamTotal& total : totals.totals()) {
    if (total.number().fractions_size() > asked->fractions_size()) asked = &total.number();
  }
  for (const double fraction : asked->fractions()) {
    std::string name = "q";
    AppendNumber(fraction, &name);
    AppendEstimateNames(name, &out);
  }
  out.append("\r\n");
  for (const v1::StreamTotal& total : totals.totals()) {
    const v1::Distribution& number = total.number();
    out.append(HeadCsv(total));
    AppendCsvEstimate(number.has_count(), number.count(), &out);
    AppendCsvEstimate(number.has_mean(), number.mean(), &out);
    AppendCsvEstimate(number.has_sum(), number.sum(), &out);
    for (int i = 0; i < asked->fractions_size(); ++i) {
      const bool there = i < number.quantiles_size();
      AppendCsvEstimate(there, there ? number.quantiles(i) : v1::Estimate(), &out);
    }
    out.append("\r\n");
  }
  return out;
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

std::string HeadCsv(const v1::StreamTotal& total) {
  return absl::StrCat(total.first(), ",", total.last(), ",", total.submissions(), ",",
                      CsvRuns(total.missing()), ",", CsvRuns(total.strange()));
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
  const auto any = [&](bool (*has)(const v1::StreamTotal&)) {
    return std::any_of(totals.totals().begin(), totals.totals().end(), has);
  };
  if (any([](const v1::StreamTotal& total) { return total.has_number(); })) {
    return StreamNumbersCsv(totals);
  }
  const bool means = any([](const v1::StreamTotal& total) { return !total.means().empty(); });
  std::string out =
      "first,last,submissions,missing,strange,value,frequency,raw,stderr,low,high,count,count_"
      "stderr,"
      "count_low,count_high";
  if (means) AppendEstimateNames("mean", &out);
  out.append(truth.empty() ? "\r\n" : ",truth\r\n");
  for (const v1::StreamTotal& total : totals.totals()) {
    const v1::Histogram& shares = total.shares();
    const std::string head = absl::StrCat(HeadCsv(total), ",");
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
      if (means) {
        v1::Estimate mean;
        mean.set_value(total.means(row));
        mean.set_standard_error(total.mean_standard_errors(row));
        mean.set_low(total.mean_low(row));
        mean.set_high(total.mean_high(row));
        AppendCsvEstimate(!std::isnan(mean.value()), mean, &out);
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
    for (auto* const column :
         {total.mutable_counts(), total.mutable_count_standard_errors(), total.mutable_count_low(),
          total.mutable_count_high(), total.mutable_means(), total.mutable_mean_standard_errors(),
          total.mutable_mean_low(), total.mutable_mean_high()}) {
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
