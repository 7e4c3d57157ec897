#include "common/json/histogram.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/json/csv.h"
#include "common/json/text.h"

namespace tombola {
namespace {

// The fields in the order that `rows` gives them; a column that is empty stays so.
template <typename Column>
void Reorder(const std::vector<int>& rows, Column* column) {
  if (column->empty()) return;
  Column sorted;
  sorted.Reserve(column->size());
  for (const int row : rows) *sorted.Add() = std::move(*column->Mutable(row));
  column->Swap(&sorted);
}

// Without names and labels: a line end, numbers of up to 24 characters and what stands between.
constexpr int64_t kMostBinBytes = 200;

void AppendValue(const v1::Histogram& histogram, int row, std::string* out) {
  if (histogram.labels().empty()) {
    absl::StrAppend(out, histogram.values(row));
  } else {
    AppendText(histogram.labels(row), out);
  }
}

void AppendBins(const v1::Histogram& histogram, const std::vector<double>& truth,
                std::string* out) {
  const auto append = [out](const char* name, double number) {
    out->append(name);
    AppendNumber(number, out);
  };
  out->push_back('[');
  for (int row = 0; row < histogram.values_size(); ++row) {
    out->append(row == 0 ? "{\"value\":" : ",{\"value\":");
    AppendValue(histogram, row, out);
    append(",\"frequency\":", histogram.frequencies(row));
    append(",\"raw\":", histogram.raw(row));
    append(",\"stderr\":", histogram.standard_errors(row));
    append(",\"low\":", histogram.low(row));
    append(",\"high\":", histogram.high(row));
    if (!truth.empty()) append(",\"truth\":", truth[static_cast<size_t>(row)]);
    out->push_back('}');
  }
  out->push_back(']');
}

}  // namespace

std::string NameOf(const v1::Histogram& histogram, int row) {
  return histogram.labels().empty() ? absl::StrCat(histogram.values(row)) : histogram.labels(row);
}

void Sort(BinOrder order, v1::Histogram& histogram) {
  std::vector<int> rows(static_cast<size_t>(histogram.values_size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](int a, int b) {
    if (order == BinOrder::kFrequency && histogram.frequencies(a) != histogram.frequencies(b)) {
      return histogram.frequencies(a) > histogram.frequencies(b);
    }
    return histogram.values(a) < histogram.values(b);
  });
  Reorder(rows, histogram.mutable_values());
  Reorder(rows, histogram.mutable_labels());
  for (auto* column :
       {histogram.mutable_frequencies(), histogram.mutable_raw(),
        histogram.mutable_standard_errors(), histogram.mutable_low(), histogram.mutable_high()}) {
    Reorder(rows, column);
  }
}

int64_t MostHistogramText(int64_t bins, int64_t label_bytes) {
  // A character of a label may become six, and the whole has a head and an end.
  return 4096 + kMostBinBytes * bins + 6 * label_bytes;
}

std::string HistogramCsv(const v1::Histogram& histogram, const std::vector<double>& truth) {
  std::string out = "value,frequency,raw,stderr,low,high";
  out.reserve(static_cast<size_t>(MostHistogramText(histogram.values_size(), 0)));
  out.append(truth.empty() ? "\r\n" : ",truth\r\n");
  for (int row = 0; row < histogram.values_size(); ++row) {
    AppendCsvText(NameOf(histogram, row), &out);
    for (const double number :
         {histogram.frequencies(row), histogram.raw(row), histogram.standard_errors(row),
          histogram.low(row), histogram.high(row)}) {
      out.push_back(',');
      AppendCsvNumber(number, &out);
    }
    if (!truth.empty()) {
      out.push_back(',');
      AppendCsvNumber(truth[static_cast<size_t>(row)], &out);
    }
    out.append("\r\n");
  }
  return out;
}

void AppendHistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth,
                         std::string* out) {
  out->reserve(out->size() + static_cast<size_t>(MostHistogramText(histogram.values_size(), 0)));
  out->append("\"max_error\":");
  AppendNumber(histogram.max_error(), out);
  out->append(",\"bins\":");
  AppendBins(histogram, truth, out);
}

}  // namespace tombola
