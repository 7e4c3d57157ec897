// The bodies of answers that have a row for each value, in the forms that scripts rely on: what
// those of histograms, sets and key-value pairs share. Rows are written as text at once, because a
// domain may have millions of them.
#ifndef TOMBOLA_COMMON_JSON_COLUMNS_H_
#define TOMBOLA_COMMON_JSON_COLUMNS_H_

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/csv.h"
#include "common/json/rows.h"
#include "common/json/text.h"

namespace tombola {

// A further column of numbers under the name that it has in JSON and CSV; NaN is null, and nothing
// in CSV.
template <typename Column>
struct NamedColumn {
  absl::string_view name;
  const Column& numbers;
};

inline double At(const google::protobuf::RepeatedField<double>& numbers, int row) {
  return numbers[row];
}
inline double At(const std::vector<double>& numbers, int row) {
  return numbers[static_cast<size_t>(row)];
}

// A row's value: its label, or its number where the domain has no labels.
template <typename Body>
std::string NameOf(const Body& body, int row) {
  return body.labels().empty() ? absl::StrCat(body.values(row)) : body.labels(row);
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

// Puts the rows into that order, with the further columns.
template <typename Body, typename... Columns>
void SortColumns(BinOrder order, Body& body, Columns*... further) {
  std::vector<int> rows(static_cast<size_t>(body.values_size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](int a, int b) {
    if (order == BinOrder::kFrequency && body.frequencies(a) != body.frequencies(b)) {
      return body.frequencies(a) > body.frequencies(b);
    }
    return body.values(a) < body.values(b);
  });
  Reorder(rows, body.mutable_values());
  Reorder(rows, body.mutable_labels());
  for (auto* column : {body.mutable_frequencies(), body.mutable_raw(),
                       body.mutable_standard_errors(), body.mutable_low(), body.mutable_high()}) {
    Reorder(rows, column);
  }
  if (body.has_ranking()) {
    auto* const ranking = body.mutable_ranking();
    for (auto* const column : {ranking->mutable_low(), ranking->mutable_high()}) {
      Reorder(rows, column);
    }
    for (auto* const column : {ranking->mutable_best(), ranking->mutable_worst()}) {
      Reorder(rows, column);
    }
  }
  (Reorder(rows, further), ...);
}

// Appends "ranking", with a comma behind; nothing where the question had no `top`. Its "places" are
// in the order of the rows.
template <typename Body>
void AppendRanking(const Body& body, std::string* out) {
  if (!body.has_ranking()) return;
  const auto& ranking = body.ranking();
  absl::StrAppend(out, "\"ranking\":{\"top\":", ranking.top(), ",\"sure\":", ranking.sure(),
                  ",\"possible\":", ranking.possible(), ",\"held\":", ranking.held(),
                  ",\"places\":[");
  for (int row = 0; row < body.values_size(); ++row) {
    absl::StrAppend(out, row == 0 ? "" : ",", "{\"best\":", ranking.best(row),
                    ",\"worst\":", ranking.worst(row), ",\"low\":");
    AppendNumber(ranking.low(row), out);
    out->append(",\"high\":");
    AppendNumber(ranking.high(row), out);
    out->push_back('}');
  }
  out->append("]},");
}

// Appends "bins": the rows as objects, without a comma at either end.
template <typename Body, typename... Columns>
void AppendBins(const Body& body, const std::vector<double>& truth, std::string* out,
                const NamedColumn<Columns>&... further) {
  const auto append = [out](absl::string_view name, double number) {
    absl::StrAppend(out, ",\"", name, "\":");
    if (std::isnan(number)) {
      out->append("null");
    } else {
      AppendNumber(number, out);
    }
  };
  out->append("\"bins\":[");
  for (int row = 0; row < body.values_size(); ++row) {
    out->append(row == 0 ? "{\"value\":" : ",{\"value\":");
    if (body.labels().empty()) {
      absl::StrAppend(out, body.values(row));
    } else {
      AppendText(body.labels(row), out);
    }
    append("frequency", body.frequencies(row));
    append("raw", body.raw(row));
    append("stderr", body.standard_errors(row));
    append("low", body.low(row));
    append("high", body.high(row));
    (append(further.name, At(further.numbers, row)), ...);
    if (!truth.empty()) append("truth", truth[static_cast<size_t>(row)]);
    out->push_back('}');
  }
  out->push_back(']');
}

// The rows as CSV (RFC 4180): a line of names, then a line a row. The numbers read back are the
// very same.
template <typename Body, typename... Columns>
std::string ColumnsCsv(const Body& body, const std::vector<double>& truth,
                       const NamedColumn<Columns>&... further) {
  std::string out = "value,frequency,raw,stderr,low,high";
  (absl::StrAppend(&out, ",", further.name), ...);
  out.append(truth.empty() ? "\r\n" : ",truth\r\n");
  const auto append = [&](double number) {
    out.push_back(',');
    if (!std::isnan(number)) AppendCsvNumber(number, &out);
  };
  for (int row = 0; row < body.values_size(); ++row) {
    AppendCsvText(NameOf(body, row), &out);
    for (const double number : {body.frequencies(row), body.raw(row), body.standard_errors(row),
                                body.low(row), body.high(row)}) {
      append(number);
    }
    (append(At(further.numbers, row)), ...);
    if (!truth.empty()) append(truth[static_cast<size_t>(row)]);
    out.append("\r\n");
  }
  return out;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_COLUMNS_H_
