#include "common/json/number.h"

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/csv.h"
#include "common/json/text.h"

namespace tombola {
namespace {

using Members = std::initializer_list<std::pair<absl::string_view, double>>;

// Without the brackets.
void AppendMembers(const Members& members, std::string* out) {
  bool first = true;
  for (const auto& [name, number] : members) {
    absl::StrAppend(out, first ? "\"" : ",\"", name, "\":");
    AppendNumber(number, out);
    first = false;
  }
}

void AppendEstimate(const v1::Estimate& estimate, const double* truth, std::string* out) {
  out->push_back('{');
  AppendMembers({{"value", estimate.value()},
                 {"stderr", estimate.standard_error()},
                 {"low", estimate.low()},
                 {"high", estimate.high()}},
                out);
  if (truth != nullptr) {
    out->push_back(',');
    AppendMembers({{"truth", *truth}}, out);
  }
  out->push_back('}');
}

void AppendQuantiles(const v1::Distribution& numbers, const NumbersTruth* truth, std::string* out) {
  out->push_back('{');
  for (int i = 0; i < numbers.fractions_size(); ++i) {
    out->append(i == 0 ? "\"" : ",\"");
    AppendNumber(numbers.fractions(i), out);
    out->append("\":");
    if (i < numbers.quantiles_size()) {
      AppendEstimate(numbers.quantiles(i),
                     truth == nullptr ? nullptr : &truth->quantiles[static_cast<size_t>(i)], out);
    } else {
      out->append("null");
    }
  }
  out->push_back('}');
}

// Null where it is not `there`.
void AppendIf(bool there, const v1::Estimate& estimate, const double* truth, std::string* out) {
  if (there) {
    AppendEstimate(estimate, truth, out);
  } else {
    out->append("null");
  }
}

}  // namespace

std::string BinName(const v1::Distribution& numbers, int row) {
  return absl::StrCat(numbers.low_edges(row), "..", numbers.high_edges(row));
}

std::string EstimateJson(bool there, const v1::Estimate& estimate) {
  std::string out;
  AppendIf(there, estimate, /*truth=*/nullptr, &out);
  return out;
}

std::string QuantilesJson(const v1::Distribution& numbers) {
  std::string out;
  AppendQuantiles(numbers, /*truth=*/nullptr, &out);
  return out;
}

int64_t MostNumberText(int64_t bins, int64_t quantiles) {
  // Numbers have up to 24 characters, and names stand between them.
  return 8192 + 320 * bins + 200 * quantiles;
}

void AppendNumbersJson(const v1::Distribution& numbers, const Truth& truth, std::string* out) {
  const NumbersTruth* const known = truth.numbers.has_value() ? &*truth.numbers : nullptr;
  const auto append = [&](absl::string_view name, bool there, const v1::Estimate& estimate,
                          const double* value) {
    absl::StrAppend(out, "\"", name, "\":");
    AppendIf(there, estimate, value, out);
    out->push_back(',');
  };
  out->reserve(out->size() + static_cast<size_t>(MostNumberText(numbers.low_edges_size(),
                                                                numbers.quantiles_size())));
  out->append("\"where\":");
  if (numbers.has_where()) {
    out->push_back('{');
    AppendMembers({{"low", numbers.where().low()}, {"high", numbers.where().high()}}, out);
    out->append("},");
  } else {
    out->append("null,");
  }
  append("count", numbers.has_count(), numbers.count(), known ? &known->count : nullptr);
  append("frequency", numbers.has_frequency(), numbers.frequency(), nullptr);
  append("mean", numbers.has_mean(), numbers.mean(), known ? &known->mean : nullptr);
  append("sum", numbers.has_sum(), numbers.sum(), known ? &known->sum : nullptr);
  AppendMembers({{"spread", numbers.spread()}, {"partial", numbers.partial()}}, out);
  out->append(",\"quantiles\":");
  AppendQuantiles(numbers, known, out);
  out->append(",\"bins\":[");
  for (int row = 0; row < numbers.low_edges_size(); ++row) {
    absl::StrAppend(out, row == 0 ? "" : ",", "{\"value\":\"", BinName(numbers, row), "\",");
    AppendMembers({{"low_edge", numbers.low_edges(row)},
                   {"high_edge", numbers.high_edges(row)},
                   {"frequency", numbers.frequencies(row)},
                   {"raw", numbers.raw(row)},
                   {"stderr", numbers.standard_errors(row)},
                   {"low", numbers.low(row)},
                   {"high", numbers.high(row)}},
                  out);
    if (!truth.frequencies.empty()) {
      out->push_back(',');
      AppendMembers({{"truth", truth.frequencies[static_cast<size_t>(row)]}}, out);
    }
    out->push_back('}');
  }
  out->append("],\"counted\":");
  AppendText(numbers.counted(), out);
}

std::string NumbersCsv(const v1::Distribution& numbers, const Truth& truth) {
  std::string out = "value,low_edge,high_edge,frequency,raw,stderr,low,high";
  out.append(truth.frequencies.empty() ? "\r\n" : ",truth\r\n");
  for (int row = 0; row < numbers.low_edges_size(); ++row) {
    AppendCsvText(BinName(numbers, row), &out);
    for (const double number :
         {numbers.low_edges(row), numbers.high_edges(row), numbers.frequencies(row),
          numbers.raw(row), numbers.standard_errors(row), numbers.low(row), numbers.high(row)}) {
      out.push_back(',');
      AppendCsvNumber(number, &out);
    }
    if (!truth.frequencies.empty()) {
      out.push_back(',');
      AppendCsvNumber(truth.frequencies[static_cast<size_t>(row)], &out);
    }
    out.append("\r\n");
  }
  return out;
}

}  // namespace tombola
