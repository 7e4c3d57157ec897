#include "cli/simulation/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "common/base/check.h"

namespace tombola::simulation {
namespace {

constexpr double kWidth = 800, kHeight = 440;
constexpr double kLeft = 70, kRight = 540, kTop = 46, kBottom = 384;
constexpr double kLegendLine = 24;
constexpr int kMostLabels = 12;

constexpr char kStyleSheet[] = R"(<style>
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.paper{fill:#ffffff}
.grid{stroke:#d8dee4;stroke-width:1}
.frame{fill:none;stroke:#8b949e;stroke-width:1}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.dashed{stroke-dasharray:6 4}
.mark{stroke-width:1.6}
.s0{stroke:#1a6fd4;color:#1a6fd4}.s1{stroke:#d1242f;color:#d1242f}
.s2{stroke:#1a7f37;color:#1a7f37}.s3{stroke:#bc6c00;color:#bc6c00}
.s4{stroke:#8250df;color:#8250df}.s5{stroke:#0b8a8f;color:#0b8a8f}
.s6{stroke:#bf3989;color:#bf3989}.s7{stroke:#7d5a3c;color:#7d5a3c}
.s8{stroke:#57606a;color:#57606a}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117}.grid{stroke:#2d333b}.frame{stroke:#768390}
.s0{stroke:#6cb6ff;color:#6cb6ff}.s1{stroke:#ff7b72;color:#ff7b72}
.s2{stroke:#57d364;color:#57d364}.s3{stroke:#ffb657;color:#ffb657}
.s4{stroke:#c9a6ff;color:#c9a6ff}.s5{stroke:#4fd6dc;color:#4fd6dc}
.s6{stroke:#ff9bce;color:#ff9bce}.s7{stroke:#d6a77a;color:#d6a77a}
.s8{stroke:#adbac7;color:#adbac7}}
</style>
)";

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

std::string Escape(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

bool Shown(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.y > 0;
}

// From data to the page.
struct Frame {
  double x_low, x_high;
  int decade_low, decade_high;
  std::vector<double> x_values;  // ascending, distinct

  double X(double x) const {
    return kLeft + 14 + (x - x_low) / (x_high - x_low) * (kRight - kLeft - 28);
  }
  double Y(double y) const {
    return kBottom - (std::log10(y) - decade_low) / (decade_high - decade_low) * (kBottom - kTop);
  }
};

Frame MakeFrame(absl::Span<const Series> series) {
  Frame frame{};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Series& line : series) {
    for (const Point& point : line.points) {
      if (!Shown(point)) continue;
      frame.x_values.push_back(point.x);
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  if (frame.x_values.empty()) return {.x_low = 0, .x_high = 1, .decade_low = 0, .decade_high = 1};
  std::sort(frame.x_values.begin(), frame.x_values.end());
  frame.x_values.erase(std::unique(frame.x_values.begin(), frame.x_values.end()),
                       frame.x_values.end());
  frame.x_low = frame.x_values.front();
  frame.x_high = frame.x_values.back();
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
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%g</text>\n", x,
                          kBottom + 19, frame.x_values[i]);
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
                          Escape(line.name));
    y += kLegendLine;
  }
}

}  // namespace

std::string DrawChart(const ChartLabels& labels, absl::Span<const Series> series) {
  for (const Series& line : series) {
    TOMBOLA_CHECK(line.style >= 0 && line.style < Series::kStyles);
  }
  const Frame frame = MakeFrame(series);
  const std::string title = Escape(labels.title);
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
      "height=\"%g\" role=\"img\">\n<title>%s</title>\n",
      kWidth, kHeight, kWidth, kHeight, title);
  svg += kStyleSheet;
  absl::StrAppendFormat(&svg, "<rect class=\"paper\" width=\"%g\" height=\"%g\"/>\n", kWidth,
                        kHeight);
  absl::StrAppendFormat(&svg, "<text class=\"title\" x=\"%g\" y=\"28\">%s</text>\n", kLeft, title);
  AddAxes(frame, svg);
  absl::StrAppendFormat(&svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
                        (kLeft + kRight) / 2, kBottom + 42, Escape(labels.x));
  absl::StrAppendFormat(
      &svg, "<text transform=\"translate(18 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
      (kTop + kBottom) / 2, Escape(labels.y));
  for (const Series& line : series) AddLine(frame, line, svg);
  AddLegend(series, svg);
  svg += "</svg>\n";
  return svg;
}

}  // namespace tombola::simulation
