// Line charts as SVG, with a logarithmic axis upwards and, if asked for, one to the right.
#ifndef TOMBOLA_CLI_SIMULATION_CHART_H_
#define TOMBOLA_CLI_SIMULATION_CHART_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "cli/terminal/svg.h"

namespace tombola::simulation {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  // By ascending x. A point that is not finite, or whose y is not above 0, is a gap in the line.
  std::vector<Point> points;
  // Which of kStyles colours and markers, so that a thing looks alike in every chart.
  int style = 0;
  bool dashed = false;

  static constexpr int kStyles = svg::kColours;
};

struct ChartLabels {
  std::string title;
  std::string x;
  std::string y;
  // Equal distances are equal ratios; every x is then above 0.
  bool log_x = false;
};

// An SVG document of its own: no scripts, no references, text as text, colours for light and for
// dark surroundings by the viewer's preference. Lines differ by marker too, not by colour alone. A
// series without a point to show is left out.
std::string DrawChart(const ChartLabels& labels, absl::Span<const Series> series);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_CHART_H_
