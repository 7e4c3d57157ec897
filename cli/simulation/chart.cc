#include "cli/simulation/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal/svg.h"
#include "common/base/check.h"
#include "common/base/decimal.h"

namespace tombola::simulation {
namespace {

constexpr double kWidth = 800, kHeight = 440;
constexpr double kLeft = 70, kRight = 540, kTop = 46, kBottom = 384;
constexpr double kLegendLine = 24;
constexpr int kMostLabels = 12;

// Around the origin; filled ones in the line's own colour.
constexpr absl::string_view kMarkers[Series::kStyles] = {
    R"(<circle r="3.4" fill="currentColor"/>)",
    R"(<path d="M0-4.6L4.6 0L0 4.6L-4.6 0Z" fill="currentColor"/>)",
    R"(<path d="M-3.4-3.4H3.4V3.4H-3.4Z" fill="currentColor"/>)",
    R"(<path d="M0-4.4L4.2 3.2H-4.2Z" fill="currentColor"/>)",
    R"(<path d="M0 4.4L4.2-3.2H-4.2Z" fill="currentColor"/>)",
    R"(<circle r="3.6" fill="none"/>)",
    R"(<path d="M-3.4-3.4H3.4V3.4H-3.4Z" fill="none"/>)",
    R"(<path d="M-3.6-3.6L3.6 3.6M-3.6 3.6L3.6-3.6" fill="none"/>)",
    R"(<path d="M-4.4 0H4.4M0-4.4V4.4" fill="none"/>)",
};

bool Shown(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.y > 0;
}

// From data to the page.
struct Frame {
  bool log_x;
  double x_low, x_high;  // of Scaled
  int decade_low, decade_high;
  std::vector<double> x_values;  // ascending, distinct

  double Scaled(double x) const { return log_x ? std::log(x) : x; }
  double X(double x) const {
    return kLeft + 14 + (Scaled(x) - x_low) / (x_high - x_low) * (kRight - kLeft - 28);
  }
  double Y(double y) const {
    return kBottom - (std::log10(y) - decade_low) / (decade_high - decade_low) * (kBottom - kTop);
  }
};

Frame MakeFrame(absl::Span<const Series> series, bool log_x) {
  Frame frame{.log_x = log_x};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Series& line : series) {
    for (const Point& point : line.points) {
      if (!Shown(point)) continue;
      frame.x_values.push_back(point.x);
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  if (frame.x_values.empty()) {
    return {.log_x = log_x, .x_low = 0, .x_high = 1, .decade_low = 0, .decade_high = 1};
  }
  std::sort(frame.x_values.begin(), frame.x_values.end());
  frame.x_values.erase(std::unique(frame.x_values.begin(), frame.x_values.end()),
                       frame.x_values.end());
  frame.x_low = frame.Scaled(frame.x_values.front());
  frame.x_high = frame.Scaled(frame.x_values.back());
  if (frame.x_low == frame.x_high) {
    frame.x_low -= 0.5;
    frame.x_high += 0.5;
  }
  frame.decade_low = static_cast<int>(std::floor(std::log10(low)));
  frame.decade_high = std::max(frame.decade_low + 1, static_cast<int>(std::ceil(std::log10(high))));
  return frame;
}

void AddAxes(const Frame& frame, std::string& svg) {
  for (int decade = frame.decade_low; decade <= frame.decade_high; ++decade) {
    const double y = frame.Y(std::pow(10.0, decade));
    absl::StrAppendFormat(&svg, "<path class=\"grid\" d=\"M%g %.1fH%g\"/>\n", kLeft, y, kRight);
    absl::StrAppendFormat(&svg,
                          "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">10<tspan dy=\"-5\" "
                          "font-size=\"10\">%d</tspan></text>\n",
                          kLeft - 8, y + 5, decade);
  }
  const size_t step = (frame.x_values.size() + kMostLabels - 1) / kMostLabels;
  for (size_t i = 0; i < frame.x_values.size(); i += step) {
    const double x = frame.X(frame.x_values[i]);
    absl::StrAppendFormat(&svg, "<path class=\"grid\" d=\"M%.1f %gV%g\"/>\n", x, kTop, kBottom);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", x,
                          kBottom + 19, RoundedUp(frame.x_values[i], 6));
  }
  absl::StrAppendFormat(&svg, "<path class=\"frame\" d=\"M%g %gH%gV%gH%gZ\"/>\n", kLeft, kTop,
                        kRight, kBottom, kLeft);
}

std::string Stroke(const Series& line) {
  return absl::StrCat("line s", line.style, line.dashed ? " dashed" : "");
}

std::string Mark(const Series& line, double x, double y) {
  return absl::StrFormat("<g class=\"mark s%d\" transform=\"translate(%.1f %.1f)\">%s</g>\n",
                         line.style, x, y, kMarkers[line.style]);
}

void AddLine(const Frame& frame, const Series& line, std::string& svg) {
  std::string path, marks;
  bool pen_down = false;
  for (const Point& point : line.points) {
    if (Shown(point)) {
      const double x = frame.X(point.x), y = frame.Y(point.y);
      absl::StrAppendFormat(&path, "%s%.1f %.1f", pen_down ? "L" : "M", x, y);
      marks += Mark(line, x, y);
    }
    pen_down = Shown(point);
  }
  if (path.empty()) return;
  absl::StrAppend(&svg, "<path class=\"", Stroke(line), "\" d=\"", path, "\"/>\n", marks);
}

void AddLegend(absl::Span<const Series> series, std::string& svg) {
  double y = kTop + 10;
  for (const Series& line : series) {
    if (std::none_of(line.points.begin(), line.points.end(), Shown)) continue;
    absl::StrAppendFormat(&svg, "<path class=\"%s\" d=\"M%g %gh32\"/>\n", Stroke(line), kRight + 14,
                          y);
    svg += Mark(line, kRight + 30, y);
    absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\">%s</text>\n", kRight + 54, y + 4.5,
                          svg::Escape(line.name));
    y += kLegendLine;
  }
}

}  // namespace

std::string DrawChart(const ChartLabels& labels, absl::Span<const Series> series) {
  for (const Series& line : series) {
    TOMBOLA_CHECK(line.style >= 0 && line.style < Series::kStyles);
    for (const Point& point : line.points) TOMBOLA_CHECK(!labels.log_x || !(point.x <= 0));
  }
  const Frame frame = MakeFrame(series, labels.log_x);
  std::string svg = svg::Begin({.width = kWidth, .height = kHeight, .title = labels.title});
  absl::StrAppendFormat(&svg, "<text class=\"title\" x=\"%g\" y=\"28\">%s</text>\n", kLeft,
                        svg::Escape(labels.title));
  AddAxes(frame, svg);
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
                        (kLeft + kRight) / 2, kBottom + 42, svg::Escape(labels.x));
  absl::StrAppendFormat(
      &svg, "<text transform=\"translate(18 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
      (kTop + kBottom) / 2, svg::Escape(labels.y));
  for (const Series& line : series) AddLine(frame, line, svg);
  AddLegend(series, svg);
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::simulation
