#include "cli/query/stream_numbers.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"

namespace tombola::cli {
namespace {

std::string Cell(const std::optional<StreamCurve::Point>& point) {
  if (!point.has_value()) return absl::StrFormat(" %11s %10s", "-", "");
  return absl::StrFormat(" %11.5g %10.3g", point->value, (point->high - point->low) / 2);
}

StreamCurve::Point PointOf(const v1::Estimate& estimate) {
  return {.value = estimate.value(), .low = estimate.low(), .high = estimate.high()};
}

}  // namespace

std::vector<StreamCurve> NumberCurves(const v1::StreamTotals& totals) {
  int fractions = 0;
  for (const v1::StreamTotal& total : totals.totals()) {
    fractions = std::max(fractions, total.number().fractions_size());
  }
  std::vector<StreamCurve> curves(1 + static_cast<size_t>(fractions));
  curves[0].name = "mean";
  for (const v1::StreamTotal& total : totals.totals()) {
    const v1::Distribution& number = total.number();
    curves[0].points.push_back(number.has_mean() ? std::optional(PointOf(number.mean()))
                                                 : std::nullopt);
    for (int i = 0; i < fractions; ++i) {
      StreamCurve& curve = curves[1 + static_cast<size_t>(i)];
      if (i < number.fractions_size()) {
        curve.name = absl::StrCat("q", number.fractions(i));
      }
      curve.points.push_back(
          i < number.quantiles_size() ? std::optional(PointOf(number.quantiles(i))) : std::nullopt);
    }
  }
  return curves;
}

std::string DrawStreamNumbers(const v1::StreamTotals& totals, const StreamTable& table) {
  const std::vector<StreamCurve> curves = NumberCurves(totals);
  const std::string percent = absl::StrCat("±", PercentText(table.confidence, 4), "%");
  std::string out = absl::StrCat(Fit("periods", 14), absl::StrFormat(" %12s", "submissions"));
  for (const StreamCurve& curve : curves) {
    absl::StrAppendFormat(&out, " %11s %11s", curve.name, percent);
  }
  out += "\n";
  bool marked = false;
  for (const int i : ShownTotals(totals)) {
    const v1::StreamTotal& total = totals.totals(i);
    const bool strange = !total.strange().empty();
    marked = marked || strange;
    absl::StrAppend(&out, Fit(PeriodsText(total), 14),
                    absl::StrFormat(" %11d%s", total.submissions(), strange ? "*" : " "));
    for (const StreamCurve& curve : curves) out += Cell(curve.points[static_cast<size_t>(i)]);
    out += "\n";
  }
  absl::StrAppend(&out, ShownText(totals, marked));
  return out;
}

}  // namespace tombola::cli
