#include "cli/query/stream_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/query/answer_text.h"
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

Plot PlotOf(const v1::StreamTotals& totals) {
  Plot plot{.first = static_cast<double>(totals.totals(0).last()),
            .last = static_cast<double>(totals.totals().rbegin()->last())};
  for (const v1::StreamTotal& total : totals.totals()) {
    for (int row = 0; row < total.shares().values_size(); ++row) {
      plot.top = std::max(
          {plot.top, total.shares().frequencies(row), std::min(total.shares().high(row), 1.0)});
      plot.bottom = std::min({plot.bottom, total.shares().frequencies(row)});
    }
  }
  return plot;
}

// A step of one, two or five times a power of ten, of about so many in a distance.
double StepOf(double distance, double steps) {
  const double rough = distance / steps;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  return decade * (rough <= 2 * decade ? 2 : rough <= 5 * decade ? 5 : 10);
}

void AddGrid(const Plot& plot, std::string& svg) {
  const double up = StepOf(plot.top - plot.bottom, 5);
  for (auto i = static_cast<int64_t>(std::ceil(plot.bottom / up));
       static_cast<double>(i) * up <= plot.top; ++i) {
    const double y = plot.Y(static_cast<double>(i) * up);
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M%g %.1fH%g\"/>\n",
                          i == 0 ? "frame" : "grid", kStreamLeft, y, kStreamRight);
    absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.4g %%</text>\n",
                          kStreamLeft - 8, y + 4.5, 100 * static_cast<double>(i) * up);
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

void AddValue(const v1::StreamTotals& totals, int row, const Plot& plot, std::string& svg) {
  Path path;
  std::string name;
  for (const v1::StreamTotal& total : totals.totals()) {
    if (!total.has_shares()) {
      path.Gap();
      continue;
    }
    const v1::Histogram& shares = total.shares();
    name = NameOf(shares, row);
    path.Add(plot.X(static_cast<double>(total.last())), plot.Y(shares.low(row)),
             plot.Y(shares.high(row)), plot.Y(shares.frequencies(row)));
  }
  path.Gap();
  const std::string colour = absl::StrCat("s", row % svg::kColours);
  absl::StrAppendFormat(&svg, "<g><title>%s</title>\n", svg::Escape(name));
  absl::StrAppendFormat(&svg, "<path class=\"bar %s\" style=\"fill-opacity:.18\" d=\"%s\"/>\n",
                        colour, path.band());
  absl::StrAppendFormat(&svg, "<path class=\"line %s\" d=\"%s\"/></g>\n", colour, path.line());
  const double y = kStreamTop + 12 + 20 * row;
  absl::StrAppendFormat(&svg, "<path class=\"line %s\" d=\"M%g %gh22\"/>\n", colour,
                        kStreamRight + 16, y - 4);
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\">%s</text>\n", kStreamRight + 44, y,
                        svg::Escape(Cut(name, 16)));
}

std::vector<std::string> Notes(const v1::Answer& answer, const stream::Structure& structure,
                               const StreamChart& chart) {
  const v1::StreamTotals& totals = answer.stream();
  const bool single = totals.totals(0).first() != totals.totals().rbegin()->first();
  std::vector<std::string> notes = {
      absl::StrCat("Lines: shares of the submissions ",
                   single ? "of each period"
                          : absl::StrCat("of periods ", totals.totals(0).first(), " up to each"),
                   chart.postprocess == "none" ? ", unbiased estimates"
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
  const Plot plot = PlotOf(totals);
  AddGrid(plot, svg);
  int rows = 0;
  for (const v1::StreamTotal& total : totals.totals()) {
    rows = std::max(rows, total.shares().values_size());
  }
  for (int row = 0; row < rows; ++row) AddValue(totals, row, plot, svg);
  for (const std::string& note : notes) {
    absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"16\" y=\"%g\">%s</text>\n", y,
                          svg::Escape(Cut(note, 130)));
    y += kNoteHeight;
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::cli
