#include "cli/query/number_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "cli/query/estimate_lines.h"
#include "common/base/decimal.h"
#include "common/json/number.h"

namespace tombola::cli {
namespace {

constexpr absl::string_view kTooFew = "too few devices";

// Quantiles as marks from the first bin to the last, over their intervals.
std::string QuantileLine(const v1::Distribution& numbers, int cells) {
  const double low = numbers.low_edges(0);
  const double high = numbers.high_edges(numbers.high_edges_size() - 1);
  const auto cell = [&](double number) {
    const double share = std::clamp((number - low) / (high - low), 0.0, 1.0);
    return std::min(static_cast<int>(share * cells), cells - 1);
  };
  const auto [first, last] = std::minmax_element(
      numbers.quantiles().begin(), numbers.quantiles().end(),
      [](const v1::Estimate& a, const v1::Estimate& b) { return a.value() < b.value(); });
  std::string line;
  for (int i = 0; i < cells; ++i) {
    absl::string_view drawn = i >= cell(first->value()) && i <= cell(last->value()) ? "─" : "·";
    for (const v1::Estimate& quantile : numbers.quantiles()) {
      if (i >= cell(quantile.low()) && i <= cell(quantile.high())) drawn = "━";
    }
    for (const v1::Estimate& quantile : numbers.quantiles()) {
      if (i == cell(quantile.value())) drawn = "●";
    }
    absl::StrAppend(&line, drawn);
  }
  return absl::StrFormat("%g %s %g\n", low, line, high);
}

}  // namespace

std::string DrawNumbers(const v1::Distribution& numbers, const DrawOptions& options,
                        const Truth& truth) {
  const NumbersTruth* const known = truth.numbers.has_value() ? &*truth.numbers : nullptr;
  std::string out = EstimateHeading(options.confidence, known != nullptr);
  const auto add = [&](absl::string_view name, bool there, const v1::Estimate& estimate,
                       const double* value) {
    out += there ? EstimateLine(name, estimate, value) : MissingLine(name, kTooFew);
  };
  add("devices", numbers.has_count(), numbers.count(), known ? &known->count : nullptr);
  if (numbers.has_where()) {
    add("share", numbers.has_frequency(), numbers.frequency(), nullptr);
  }
  add("mean", numbers.has_mean(), numbers.mean(), known ? &known->mean : nullptr);
  add("sum", numbers.has_sum(), numbers.sum(), known ? &known->sum : nullptr);
  for (int i = 0; i < numbers.fractions_size(); ++i) {
    const std::string name = absl::StrFormat("quantile %g", numbers.fractions(i));
    if (i < numbers.quantiles_size()) {
      add(name, true, numbers.quantiles(i),
          known ? &known->quantiles[static_cast<size_t>(i)] : nullptr);
    } else {
      out += MissingLine(name, kTooFew);
    }
  }
  if (numbers.quantiles_size() > 1 && numbers.low_edges_size() > 0) {
    absl::StrAppend(&out, "\n", QuantileLine(numbers, std::clamp(options.columns - 24, 16, 72)));
  }
  return out;
}

v1::Histogram BinsOf(const v1::Distribution& numbers) {
  v1::Histogram histogram;
  for (int row = 0; row < numbers.low_edges_size(); ++row) {
    histogram.add_values(static_cast<uint64_t>(row));
    histogram.add_labels(BinName(numbers, row));
  }
  *histogram.mutable_frequencies() = numbers.frequencies();
  *histogram.mutable_raw() = numbers.raw();
  *histogram.mutable_standard_errors() = numbers.standard_errors();
  *histogram.mutable_low() = numbers.low();
  *histogram.mutable_high() = numbers.high();
  return histogram;
}

std::string DescribeNumbers(const v1::Distribution& numbers) {
  std::string out = absl::StrCat("counted: ", numbers.counted(), "\n");
  if (numbers.spread() > 0) {
    absl::StrAppend(&out,
                    "mean: within bins numbers are taken to be in the middle, for which its "
                    "interval allows ",
                    RoundedUp(numbers.spread(), 3), " on either side\n");
  }
  if (numbers.partial() > 0) {
    absl::StrAppendFormat(&out,
                          "! the range ends within bins, which have about %.6g devices: a part of "
                          "them is taken, and intervals allow for none and all\n",
                          numbers.partial());
  }
  return out;
}

}  // namespace tombola::cli
