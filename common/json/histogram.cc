#include "common/json/histogram.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/json/csv.h"
#include "common/json/mechanism.h"

namespace tombola {
namespace {

Json ByCause(const v1::Rejected& rejected) {
  return {{"unopened", rejected.unopened()},
          {"malformed", rejected.malformed()},
          {"out_of_range", rejected.out_of_range()}};
}

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

Json QualityJson(const v1::Quality& quality) {
  Json warnings = Json::array();
  for (const v1::QualityWarning& warning : quality.warnings()) {
    warnings.push_back({{"kind", warning.kind()}, {"text", warning.text()}});
  }
  return {{"refused", ByCause(quality.refused())},
          {"duplicates", quality.duplicates()},
          {"shift_per_dishonest", quality.shift_per_dishonest()},
          {"dishonest", quality.dishonest()},
          {"shift_at_dishonest_share", quality.shift_at_dishonest_share()},
          {"warnings", std::move(warnings)}};
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

int64_t MostTextBytes(int64_t bins, int64_t label_bytes) {
  // A character of a label may become six, and the whole has a head and an end.
  return 4096 + kMostBinBytes * bins + 6 * label_bytes;
}

std::string HistogramCsv(const v1::Histogram& histogram, const std::vector<double>& truth) {
  std::string out = "value,frequency,raw,stderr,low,high";
  out.reserve(static_cast<size_t>(MostTextBytes(histogram.values_size(), 0)));
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

Json GuaranteeJson(const v1::Guarantee& guarantee) {
  const v1::Guarantee& g = guarantee;
  Json json = {{"epsilon", g.epsilon()},
               {"delta", g.delta()},
               {"local_epsilon", g.has_local_epsilon() ? Json(g.local_epsilon()) : Json()},
               {"users", g.users()},
               {"method", g.method()},
               {"batches", g.batches()},
               {"submissions_per_device", g.submissions_per_device()},
               {"batch_epsilon", g.batch_epsilon()},
               {"dishonest", g.dishonest_share()},
               {"epsilon_foreign_10", FiniteOrNull(g.epsilon_foreign_10())},
               {"epsilon_foreign_50", FiniteOrNull(g.epsilon_foreign_50())}};
  if (g.accounted_users() > 0) json["accounted_users"] = g.accounted_users();
  return json;
}

std::string HistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth,
                          const Json& more) {
  const v1::Rejected& rejected = histogram.rejected();
  const Json before = {
      {"task", absl::BytesToHexString(histogram.task_id())},
      {"reports", histogram.submissions()},
      {"messages", histogram.reports()},
      {"fakes", histogram.fakes()},
      {"rejected", rejected.unopened() + rejected.malformed() + rejected.out_of_range()},
      {"rejected_by_cause", ByCause(rejected)}};
  Json after = {{"guarantee", GuaranteeJson(histogram.guarantee())},
                {"quality", QualityJson(histogram.quality())}};
  after.update(more);
  // The two objects become one, with the bins between their members.
  std::string out = ToText(before);
  out.pop_back();
  out.reserve(static_cast<size_t>(MostTextBytes(histogram.values_size(), 0)));
  out.append(",\"bins\":");
  AppendBins(histogram, truth, &out);
  out.push_back(',');
  out.append(ToText(after), 1);
  return out;
}

}  // namespace tombola
