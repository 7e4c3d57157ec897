#include "lab/page/figures.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/simulation/chart.h"
#include "lab/page/markdown.h"

namespace tombola::lab {
namespace {

std::vector<std::string> EpsilonHeader(absl::Span<const double> epsilons) {
  std::vector<std::string> header = {"method"};
  for (const double epsilon : epsilons) header.push_back(absl::StrFormat("ε = %g", epsilon));
  return header;
}

std::string NumberOrNothing(double number) {
  return std::isfinite(number) ? absl::StrFormat("%.6g", number) : "";
}

}  // namespace

std::string ChartOf(const Comparison& comparison, absl::Span<const double> epsilons,
                    const std::string& title, const std::string& what, const Number& number) {
  std::vector<simulation::Series> series;
  for (size_t i = 0; i < comparison.lines.size(); ++i) {
    const Line& line = comparison.lines[i];
    if (line.style < 0) continue;
    simulation::Series& drawn = series.emplace_back();
    drawn.name = line.title;
    drawn.style = line.style;
    drawn.dashed = line.dashed;
    for (size_t at = 0; at < epsilons.size(); ++at) {
      drawn.points.push_back({epsilons[at], number(comparison.errors[i][at])});
    }
  }
  return simulation::DrawChart({.title = title, .x = "epsilon", .y = what, .log_x = true}, series);
}

std::string ErrorTable(const Comparison& comparison, absl::Span<const double> epsilons,
                       const Number& number) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(comparison.lines[i].title);
    for (const Errors& errors : comparison.errors[i]) row.push_back(Scientific(number(errors)));
  }
  return TableOf(EpsilonHeader(epsilons), rows);
}

std::string RelativeTable(const Comparison& comparison, size_t at) {
  std::vector<std::string> header = {"method"};
  for (const int64_t top : kTops) header.push_back(absl::StrCat("top ", top));
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(comparison.lines[i].title);
    for (const simulation::Mean& relative : comparison.errors[i][at].relative) {
      row.push_back(ShortNumber(relative.value));
    }
  }
  return TableOf(header, rows);
}

std::string CostTable(const Comparison& comparison, absl::Span<const double> epsilons) {
  std::vector<std::vector<std::string>> rows;
  for (const Line& line : comparison.lines) {
    if (line.points.front().messages == 0) continue;  // central: devices send everything as it is
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(line.title);
    for (const Point& point : line.points) {
      const std::string left = std::isfinite(point.local_epsilon) ? ShortNumber(point.local_epsilon)
                                                                  : std::string("none");
      row.push_back(
          absl::StrCat(ShortNumber(point.messages), " / ", left, " / ", point.method->items()));
    }
  }
  return TableOf(EpsilonHeader(epsilons), rows);
}

std::string CsvHeading() {
  std::vector<std::string> names = {"data",          "way",
                                    "method",        "epsilon",
                                    "mse_frequency", "mse_frequency_stderr",
                                    "predicted",     "mse_top",
                                    "mse_mean",      "mse_mean_stderr",
                                    "mse_every_mean"};
  for (const int64_t top : kTops) names.push_back(absl::StrCat("relative_top_", top));
  names.insert(names.end(), {"messages", "local_epsilon"});
  return absl::StrJoin(names, ",") + "\n";
}

std::string CsvRows(absl::string_view data, absl::string_view way, const Comparison& comparison,
                    absl::Span<const double> epsilons) {
  std::string out;
  for (size_t i = 0; i < comparison.lines.size(); ++i) {
    for (size_t at = 0; at < epsilons.size(); ++at) {
      const Errors& errors = comparison.errors[i][at];
      const Point& point = comparison.lines[i].points[at];
      std::vector<std::string> fields = {std::string(data), std::string(way),
                                         comparison.lines[i].name, NumberOrNothing(epsilons[at])};
      for (const double number : {errors.frequency.value, errors.frequency.standard_error,
                                  errors.predicted, errors.top_frequency.value, errors.mean.value,
                                  errors.mean.standard_error, errors.every_mean.value}) {
        fields.push_back(NumberOrNothing(number));
      }
      for (const simulation::Mean& relative : errors.relative) {
        fields.push_back(NumberOrNothing(relative.value));
      }
      fields.push_back(NumberOrNothing(point.messages));
      fields.push_back(NumberOrNothing(point.local_epsilon));
      absl::StrAppend(&out, absl::StrJoin(fields, ","), "\n");
    }
  }
  return out;
}

void AddAgreement(const Comparison& comparison, Agreement& agreement) {
  for (const std::vector<Errors>& line : comparison.errors) {
    for (const Errors& errors : line) {
      if (!std::isfinite(errors.predicted)) continue;
      const double ratio = errors.frequency.value / errors.predicted;
      agreement.low = agreement.cells == 0 ? ratio : std::min(agreement.low, ratio);
      agreement.high = std::max(agreement.high, ratio);
      agreement.spread =
          std::max(agreement.spread, errors.frequency.standard_error / errors.frequency.value);
      ++agreement.cells;
    }
  }
}

}  // namespace tombola::lab
