#include "cli/query/means_panel.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal/svg.h"
#include "cli/terminal/text_cells.h"

namespace tombola::cli {
namespace {

constexpr double kHeading = 30, kFoot = 24, kRadius = 4;
constexpr int kTicks = 4;  // equal parts of the range

double PlaceOf(double number, const Levels& levels) {
  return kPlotLeft + (number - levels.low) / (levels.high - levels.low) * (kPlotRight - kPlotLeft);
}

void AddTicks(const Levels& levels, double top, double bottom, std::string& svg) {
  for (int i = 0; i <= kTicks; ++i) {
    const double number = levels.low + (levels.high - levels.low) * i / kTicks;
    const double x = PlaceOf(number, levels);
    absl::StrAppendFormat(&svg,
                          "<path class=\"grid\" d=\"M%.1f %gV%g\"/>\n"
                          "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.4g</text>\n",
                          x, top, bottom, x, bottom + 18, number);
  }
}

void AddMean(const v1::KeyValues& pairs, int row, const Levels& levels, double middle,
             std::string& svg) {
  const double mean = pairs.means(row);
  if (std::isnan(mean)) {
    absl::StrAppendFormat(&svg, "<text class=\"note\" x=\"%g\" y=\"%g\">too few holders</text>\n",
                          kPlotLeft + 8, middle + 4.5);
    return;
  }
  const double low = PlaceOf(pairs.mean_low(row), levels);
  const double high = PlaceOf(pairs.mean_high(row), levels);
  absl::StrAppendFormat(&svg,
                        "<path class=\"whisker\" d=\"M%.1f %gv%gM%.1f %gH%.1fM%.1f %gv%g\"/>\n"
                        "<circle class=\"mark s0\" fill=\"currentColor\" cx=\"%.1f\" cy=\"%g\" "
                        "r=\"%g\"/>\n"
                        "<text x=\"%g\" y=\"%g\">%.4g</text>\n",
                        low, middle - kRadius, 2 * kRadius, low, middle, high, high,
                        middle - kRadius, 2 * kRadius, PlaceOf(mean, levels), middle, kRadius,
                        kPlotRight + 12, middle + 4.5, mean);
}

std::string TitleOf(const v1::KeyValues& pairs, int row, const std::string& name, double truth) {
  if (std::isnan(pairs.means(row))) return absl::StrCat(name, ": too few holders for a mean");
  return absl::StrFormat(
      "%s: mean %.4g, interval %.4g to %.4g%s", name, pairs.means(row), pairs.mean_low(row),
      pairs.mean_high(row),
      std::isnan(truth) ? std::string() : absl::StrFormat(", truth %.4g", truth));
}

std::string DrawMeans(const v1::KeyValues& pairs, const Levels& levels,
                      const std::vector<double>& truth, double above) {
  const double top = above + kHeading;
  std::string svg = absl::StrFormat(
      "<text x=\"%g\" y=\"%g\">Mean of the numbers, where enough devices hold the key</text>\n",
      kPlotLeft, top - 10);
  AddTicks(levels, top, top + kPlotRow * pairs.values_size(), svg);
  for (int row = 0; row < pairs.values_size(); ++row) {
    const double middle = top + kPlotRow * (row + 0.5);
    const std::string name =
        row < pairs.labels_size() ? pairs.labels(row) : absl::StrCat(pairs.values(row));
    const double number = truth.empty() ? std::nan("") : truth[static_cast<size_t>(row)];
    absl::StrAppendFormat(&svg,
                          "<g><title>%s</title>\n"
                          "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>\n",
                          svg::Escape(TitleOf(pairs, row, name, number)), kPlotLeft - 8,
                          middle + 4.5, svg::Escape(Cut(name, kPlotNameCells)));
    AddMean(pairs, row, levels, middle, svg);
    if (!std::isnan(number)) {
      absl::StrAppendFormat(&svg,
                            "<path class=\"mark s1\" fill=\"none\" d=\"M%.1f %gl4.6 4.6l-4.6 "
                            "4.6l-4.6-4.6Z\"/>\n",
                            PlaceOf(number, levels), middle - 4.6);
    }
    svg += "</g>\n";
  }
  return svg;
}

}  // namespace

ChartPanel MeansPanel(const v1::KeyValues& pairs, const Levels& levels,
                      const std::vector<double>& truth) {
  return {.height = kHeading + kPlotRow * pairs.values_size() + kFoot,
          .draw = [=](double top) { return DrawMeans(pairs, levels, truth, top); }};
}

}  // namespace tombola::cli
