#include "cli/query/stream_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/query/answer_text.h"
#include "cli/query/stream_numbers.h"
#include "cli/query/stream_table.h"
#include "cli/terminal/svg.h"
#include "cli/terminal/text_cells.h"
#include "common/base/decimal.h"
#include "common/json/histogram.h"

namespace tombola::cli {
namespace {

constexpr double kStreamWidth = 800, kStreamLeft = 72, kStreamRight = 620, kStreamTop = 52,
                 kStreamBottom = 320, kNoteHeight = 17;

// From periods and shares to the page.
struct Plot {
  double first = 0, last = 1;
  double bottom = 0, top = 1e-12;

  double X(double period) const {
    return kStreamLeft + (period - first) / (last - first) * (kStreamRight - kStreamLeft);
  }
  double Y(double share) const {
    const double height = std::clamp((share - bottom) / (top - bottom), 0.0, 1.0);
    return kStreamBottom - height * (kStreamBottom - kStreamTop);
  }
};

// A share's interval is not drawn above one, nor below the least share, 0 or less.
Plot PlotOf(const v1::StreamTotals& totals, const std::vector<StreamCurve>& curves, bool shares) {
  Plot plot{.first = static_cast<double>(totals.totals(0).last()),
            .last = static_cast<double>(totals.totals().rbegin()->last())};
  if (!shares) {
    plot.bottom = std::numeric_limits<double>::infinity();
    plot.top = -plot.bottom;
  }
  for (const StreamCurve& curve : curves) {
    for (const std::optional<StreamCurve::Point>& point : curve.points) {
      if (!point.has_value()) continue;
      plot.top =
          std::max({plot.top, point->value, shares ? std::min(point->high, 1.0) : point->high});
      plot.bottom = std::min({plot.bottom, point->value, shares ? point->value : point->low});
    }
  }
  if (!(plot.top > plot.bottom)) plot.top = plot.bottom = std::isfinite(plot.top) ? plot.top : 0;
  if (plot.top == plot.bottom) plot.top += 1;
  return plot;
}

// Of every value its shares.
std::vector<StreamCurve> ShareCurves(const v1::StreamTotals& totals) {
  int rows = 0;
  for (const v1::StreamTotal& total : totals.totals()) {
    rows = std::max(rows, total.shares().values_size());
  }
  std::vector<StreamCurve> curves(static_cast<size_t>(rows));
  for (const v1::StreamTotal& total : totals.totals()) {
    const v1::Histogram& shares = total.shares();
    for (int row = 0; row < rows; ++row) {
      StreamCurve& curve = curves[static_cast<size_t>(row)];
      if (!total.has_shares()) {
        curve.points.emplace_back();
        continue;
      }
      curve.name = NameOf(shares, row);
      curve.points.push_back(StreamCurve::Point{
          .value = shares.frequencies(row), .low = shares.low(row), .high = shares.high(row)});
    }
  }
  return curves;
}

// A step of one, two or five times a power of ten, of about so many in a distance.
double StepOf(double distance, double steps) {
  const double rough = distance / steps;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  return decade * (rough <= 2 * decade ? 2 : rough <= 5 * decade ? 5 : 10);
}

void AddGrid(const Plot& plot, bool shares, std::string& svg) {
  const double up = StepOf(plot.top - plot.bottom, 5);
  for (auto i = static_cast<int64_t>(std::ceil(plot.bottom / up));
       static_cast<double>(i) * up <= plot.top; ++i) {
    const double y = plot.Y(static_cast<double>(i) * up);
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M%g %.1fH%g\"/>\n",
                          i == 0 ? "frame" : "grid", kStreamLeft, y, kStreamRight);
    const double at = static_cast<double>(i) * up;
    absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.4g%s</text>\n",
                          kStreamLeft - 8, y + 4.5, shares ? 100 * at : at, shares ? " %" : "");
  }
  const double across = std::max(1.0, StepOf(plot.last - plot.first, 8));
  for (auto i = static_cast<int64_t>(std::ceil(plot.first / across));
       static_cast<double>(i) * across <= plot.last; ++i) {
    const double period = static_cast<double>(i) * across;
    absl::StrAppendFormat(&svg, "<path class=\"frame\" d=\"M%.1f %gv5\"/>\n", plot.X(period),
                          kStreamBottom);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.0f</text>\n",
                          plot.X(period), kStreamBottom + 20, period);
  }
}

// A line of points, of which those that are not there are gaps; and the area between two such.
class Path {
 public:
  void Add(double x, double low, double high, double share) {
    absl::StrAppendFormat(&line_, "%s%.1f %.1f", open_ ? "L" : "M", x, share);
    forth_.push_back(absl::StrFormat("%.1f %.1f", x, high));
    back_.push_back(absl::StrFormat("%.1f %.1f", x, low));
    open_ = true;
  }
  void Gap() {
    if (!open_) return;
    std::reverse(back_.begin(), back_.end());
    absl::StrAppend(&band_, "M", absl::StrJoin(forth_, "L"), "L", absl::StrJoin(back_, "L"), "Z");
    forth_.clear();
    back_.clear();
    open_ = false;
  }
  const std::string& line() const { return line_; }
  const std::string& band() const { return band_; }

 private:
  std::string line_, band_;
  std::vector<std::string> forth_, back_;
  bool open_ = false;
};

void AddCurve(const v1::StreamTotals& totals, const StreamCurve& curve, size_t row,
              const Plot& plot, std::string& svg) {
  Path path;
  for (int i = 0; i < totals.totals_size(); ++i) {
    const std::optional<StreamCurve::Point>& point = curve.points[static_cast<size_t>(i)];
    if (!point.has_value()) {
      path.Gap();
      continue;
    }
    path.Add(plot.X(static_cast<double>(totals.totals(i).last())), plot.Y(point->low),
             plot.Y(point->high), plot.Y(point->value));
  }
  path.Gap();
  const std::string colour = absl::StrCat("s", row % static_cast<size_t>(svg::kColours));
  absl::StrAppendFormat(&svg, "<g><title>%s</title>\n", svg::Escape(curve.name));
  absl::StrAppendFormat(&svg, "<path class=\"bar %s\" style=\"fill-opacity:.18\" d=\"%s\"/>\n",
                        colour, path.band());
  absl::StrAppendFormat(&svg, "<path class=\"line %s\" d=\"%s\"/></g>\n", colour, path.line());
  const double y = kStreamTop + 12 + 20 * static_cast<double>(row);
  absl::StrAppendFormat(&svg, "<path class=\"line %s\" d=\"M%g %gh22\"/>\n", colour,
                        kStreamRight + 16, y - 4);
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\">%s</text>\n", kStreamRight + 44, y,
                        svg::Escape(Cut(curve.name, 16)));
}

bool IsOfNumbers(const v1::StreamTotals& totals) { return totals.totals(0).has_number(); }

std::vector<std::string> Notes(const v1::Answer& answer, const stream::Structure& structure,
                               const StreamChart& chart) {
  const v1::StreamTotals& totals = answer.stream();
  const bool single = totals.totals(0).first() != totals.totals().rbegin()->first();
  std::vector<std::string> notes = {
      absl::StrCat(IsOfNumbers(totals) ? "Lines: the mean and quantiles of the numbers "
                                       : "Lines: shares of the submissions ",
                   single ? "of each period"
                          : absl::StrCat("of periods ", totals.totals(0).first(), " up to each"),
                   IsOfNumbers(totals)           ? ""
                   : chart.postprocess == "none" ? ", unbiased estimates"
                                                 : absl::StrCat(", after ", chart.postprocess),
                   ". Bands: ", PercentText(chart.confidence, 6), " % intervals.")};
  for (const absl::string_view line :
       absl::StrSplit(DescribeStream(totals, structure), '\n', absl::SkipEmpty())) {
    notes.emplace_back(line);
  }
  for (std::string& note : EnvelopeNotes(answer)) notes.push_back(std::move(note));
  return notes;
}

}  // namespace

std::string DrawStreamChart(const v1::Answer& answer, const stream::Structure& structure,
                            const StreamChart& chart) {
  const v1::StreamTotals& totals = answer.stream();
  const std::vector<std::string> notes = Notes(answer, structure, chart);
  double y = kStreamBottom + 52;
  std::string svg = svg::Begin({.width = kStreamWidth,
                                .height = y + kNoteHeight * static_cast<double>(notes.size()),
                                .title = chart.title,
                                .description = absl::StrJoin(notes, "\n")});
  absl::StrAppendFormat(&svg, "<text class=\"title\" x=\"16\" y=\"28\">%s</text>\n",
                        svg::Escape(Cut(chart.title, 90)));
  const bool shares = !IsOfNumbers(totals);
  const std::vector<StreamCurve> curves = shares ? ShareCurves(totals) : NumberCurves(totals);
  const Plot plot = PlotOf(totals, curves, shares);
  AddGrid(plot, shares, svg);
  for (size_t row = 0; row < curves.size(); ++row) AddCurve(totals, curves[row], row, plot, svg);
  for (const std::string& note : notes) {
    absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"16\" y=\"%g\">%s</text>\n", y,
                          svg::Escape(Cut(note, 130)));
    y += kNoteHeight;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::cli
