// A histogram as an SVG document.
#ifndef TOMBOLA_CLI_QUERY_HISTOGRAM_CHART_H_
#define TOMBOLA_CLI_QUERY_HISTOGRAM_CHART_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Where a chart's rows are: names left of the plot, numbers right of it.
inline constexpr double kPlotLeft = 196, kPlotRight = 640, kPlotRow = 22;
inline constexpr size_t kPlotNameCells = 24;

// What stands between the bars and the notes.
struct ChartPanel {
  double height = 0;  // 0: nothing
  // The elements, from a height of the page down.
  std::function<std::string(double top)> draw = {};
};

struct HistogramChart {
  std::string title;         // the task's name
  std::string postprocess;   // how the frequencies were processed, as on the command line
  double confidence = 0.95;  // of the intervals
  int64_t domain = 0;        // how many bins there are; more than the rows: a note says so
  // The true frequency of each row, if it is known.
  std::vector<double> truth;
  ChartPanel below;
};

// One bar a row, in the rows' order: the frequency, and over it the interval, centred on the
// unbiased estimate; with the truth a mark. Long names are cut and whole in the tooltip. Below it
// the panel, then what is shown and what is guaranteed. See cli/terminal/svg.h for what the
// document is.
std::string DrawHistogramChart(const v1::Answer& answer, const HistogramChart& chart);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_HISTOGRAM_CHART_H_
