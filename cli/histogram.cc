#include "cli/histogram.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/csv.h"
#include "cli/mechanism_json.h"

namespace tombola::cli {

using Json = nlohmann::ordered_json;

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

void WriteCsv(const v1::Histogram& histogram, const std::vector<double>& truth, std::ostream& out) {
  out << "value,frequency,raw,stderr,low,high" << (truth.empty() ? "" : ",truth") << "\r\n";
  for (int row = 0; row < histogram.values_size(); ++row) {
    out << CsvText(NameOf(histogram, row));
    for (const double number :
         {histogram.frequencies(row), histogram.raw(row), histogram.standard_errors(row),
          histogram.low(row), histogram.high(row)}) {
      out << ',' << CsvNumber(number);
    }
    if (!truth.empty()) out << ',' << CsvNumber(truth[static_cast<size_t>(row)]);
    out << "\r\n";
  }
}

Json HistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth) {
  Json bins = Json::array();
  for (int row = 0; row < histogram.values_size(); ++row) {
    Json bin;
    if (histogram.labels().empty()) {
      bin["value"] = histogram.values(row);
    } else {
      bin["value"] = histogram.labels(row);
    }
    bin["frequency"] = histogram.frequencies(row);
    bin["raw"] = histogram.raw(row);
    bin["stderr"] = histogram.standard_errors(row);
    bin["low"] = histogram.low(row);
    bin["high"] = histogram.high(row);
    if (!truth.empty()) bin["truth"] = truth[static_cast<size_t>(row)];
    bins.push_back(std::move(bin));
  }
  const v1::Guarantee& g = histogram.guarantee();
  const v1::Rejected& rejected = histogram.rejected();
  Json guarantee = {{"epsilon", g.epsilon()},
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
  if (g.accounted_users() > 0) guarantee["accounted_users"] = g.accounted_users();
  const v1::Quality& q = histogram.quality();
  Json warnings = Json::array();
  for (const v1::QualityWarning& warning : q.warnings()) {
    warnings.push_back({{"kind", warning.kind()}, {"text", warning.text()}});
  }
  Json quality = {{"refused", ByCause(q.refused())},
                  {"duplicates", q.duplicates()},
                  {"shift_per_dishonest", q.shift_per_dishonest()},
                  {"dishonest", q.dishonest()},
                  {"shift_at_dishonest_share", q.shift_at_dishonest_share()},
                  {"warnings", std::move(warnings)}};
  return Json{{"task", absl::BytesToHexString(histogram.task_id())},
              {"reports", histogram.submissions()},
              {"messages", histogram.reports()},
              {"fakes", histogram.fakes()},
              {"rejected", rejected.unopened() + rejected.malformed() + rejected.out_of_range()},
              {"rejected_by_cause", ByCause(rejected)},
              {"bins", std::move(bins)},
              {"guarantee", std::move(guarantee)},
              {"quality", std::move(quality)}};
}

}  // namespace tombola::cli
