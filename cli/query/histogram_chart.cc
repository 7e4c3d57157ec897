#include "cli/query/histogram_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/query/answer_text.h"
#include "cli/terminal/svg.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/histogram.h"

namespace tombola::cli {
namespace {

constexpr double kWidth = 800;
constexpr double kTop = 46;  // of the plot
constexpr double kBar = 14, kCap = 4, kNoteLine = 17;

// From a frequency to the page, linear, with a grid line at each whole multiple of the step.
struct Scale {
  double low = 0, high = 1, step = 0.2;

  double X(double frequency) const {
    return kPlotLeft + (frequency - low) / (high - low) * (kPlotRight - kPlotLeft);
  }
};

// About five grid lines, at round numbers, around zero and everything that is drawn.
Scale MakeScale(const v1::Histogram& histogram, const std::vector<double>& truth) {
  double low = 0, high = 0;
  const auto include = [&](double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  };
  for (const auto* column : {&histogram.frequencies(), &histogram.low(), &histogram.high()}) {
    std::for_each(column->begin(), column->end(), include);
  }
  std::for_each(truth.begin(), truth.end(), include);
  if (low == high) return {};
  const double rough = (high - low) / 5;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  const double step = decade * (rough <= 2 * decade ? 2 : rough <= 5 * decade ? 5 : 10);
  return {
      .low = step * std::floor(low / step), .high = step * std::ceil(high / step), .step = step};
}

std::string Percent(double frequency) { return absl::StrFormat("%.4g %%", 100 * frequency); }

void AddAxis(const Scale& scale, double bottom, std::string& svg) {
  const auto first = std::lround(scale.low / scale.step);
  const auto last = std::lround(scale.high / scale.step);
  for (long i = first; i <= last; ++i) {
    const double x = scale.X(static_cast<double>(i) * scale.step);
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M%.1f %gV%g\"/>\n",
                          i == 0 ? "frame" : "grid", x, kTop, bottom);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", x,
                          bottom + 18, Percent(static_cast<double>(i) * scale.step));
  }
}

// A bar, its interval and its numbers; what it shows in words when pointed at.
void AddRow(const v1::Histogram& histogram, int row, const double* truth, const Scale& scale,
            std::string& svg) {
  const double frequency = histogram.frequencies(row);
  const double low = histogram.low(row), high = histogram.high(row);
  const std::string name = NameOf(histogram, row);
  const double middle = kTop + kPlotRow * (row + 0.5);
  const double zero = scale.X(0), end = scale.X(frequency);
  absl::StrAppendFormat(&svg, "<g><title>%s: %s, interval %s to %s%s</title>\n", svg::Escape(name),
                        Percent(frequency), Percent(low), Percent(high),
                        truth == nullptr ? "" : absl::StrCat(", truth ", Percent(*truth)));
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>\n",
                        kPlotLeft - 8, middle + 4.5, svg::Escape(Cut(name, kPlotNameCells)));
  absl::StrAppendFormat(
      &svg, "<rect class=\"bar s0\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%g\"/>\n",
      std::min(zero, end), middle - kBar / 2, std::abs(end - zero), kBar);
  absl::StrAppendFormat(&svg,
                        "<path class=\"whisker\" d=\"M%.1f %gv%gM%.1f %gH%.1fM%.1f %gv%g\"/>\n",
                        scale.X(low), middle - kCap, 2 * kCap, scale.X(low), middle, scale.X(high),
                        scale.X(high), middle - kCap, 2 * kCap);
  if (truth != nullptr) {
    absl::StrAppendFormat(&svg,
                          "<path class=\"mark s1\" fill=\"none\" d=\"M%.1f %gl4.6 4.6l-4.6 "
                          "4.6l-4.6-4.6Z\"/>\n",
                          scale.X(*truth), middle - 4.6);
  }
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\">%.3f %% ± %.3f</text></g>\n",
                        kPlotRight + 12, middle + 4.5, 100 * frequency, 50 * (high - low));
}

std::vector<std::string> Notes(const v1::Answer& answer, const HistogramChart& chart) {
  std::vector<std::string> notes;
  const int64_t left_out = chart.domain - answer.histogram().values_size();
  if (left_out > 0) {
    notes.push_back(
        absl::StrFormat("%d of %d bins are shown; %d are left out (--top K shows the K largest)",
                        answer.histogram().values_size(), chart.domain, left_out));
  }
  notes.push_back(absl::StrFormat(
      "Bars: share of %d reports%s. Whiskers: the %s %% interval of each unbiased estimate.%s",
      answer.reports(),
      chart.postprocess == "none" ? std::string(", unbiased estimates")
                                  : absl::StrCat(", after ", chart.postprocess),
      PercentText(chart.confidence, 6), chart.truth.empty() ? "" : " Diamonds: the truth."));
  // Strings have no such band.
  if (const double most = answer.histogram().max_error(); most > 0) {
    notes.push_back(absl::StrFormat(
        "All bins at once: with %s %% confidence no unbiased estimate is off by more than %s %%",
        PercentText(chart.confidence, 6), RoundedUp(100 * most, 4)));
  }
  for (std::string& note : EnvelopeNotes(answer)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

std::string DrawHistogramChart(const v1::Answer& answer, const HistogramChart& chart) {
  const v1::Histogram& histogram = answer.histogram();
  const int rows = histogram.values_size();
  const double bottom = kTop + kPlotRow * std::max(rows, 1);
  const double after = bottom + chart.below.height;
  const std::vector<std::string> notes = Notes(answer, chart);
  std::string description;
  for (const std::string& note : notes) absl::StrAppend(&description, note, "\n");
  std::string svg =
      svg::Begin({.width = kWidth,
                  .height = after + 40 + kNoteLine * static_cast<double>(notes.size()),
                  .title = chart.title,
                  .description = description});
  absl::StrAppendFormat(&svg, "<text class=\"title\" x=\"16\" y=\"28\">%s</text>\n",
                        svg::Escape(Cut(chart.title, 90)));
  const Scale scale = MakeScale(histogram, chart.truth);
  AddAxis(scale, bottom, svg);
  for (int row = 0; row < rows; ++row) {
    const double* truth = chart.truth.empty() ? nullptr : &chart.truth[static_cast<size_t>(row)];
    AddRow(histogram, row, truth, scale, svg);
  }
  if (chart.below.height > 0) svg += chart.below.draw(bottom + 20);
  double y = after + 44;
  for (const std::string& note : notes) {
    absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"16\" y=\"%g\">%s</text>\n", y,
                          svg::Escape(Cut(note, 130)));
    y += kNoteLine;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::cli
