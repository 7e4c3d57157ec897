// A stream's totals over time as an SVG document.
#ifndef TOMBOLA_CLI_QUERY_STREAM_CHART_H_
#define TOMBOLA_CLI_QUERY_STREAM_CHART_H_

#include <optional>
#include <string>
#include <vector>

#include "common/stream/structure.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct StreamChart {
  std::string title;         // the task's name
  std::string postprocess;   // how the shares were processed, as on the command line
  double confidence = 0.95;  // of the bands
};

// One line of a chart over totals.
struct StreamCurve {
  struct Point {
    double value = 0, low = 0, high = 0;
  };
  std::string name;
  std::vector<std::optional<Point>> points;  // by total; none: a gap
};

// The most values that have a line of their own.
inline constexpr int kMostStreamLines = 8;

// A line for each value over the last periods of the totals: its share, in the band of its
// intervals, each around the unbiased estimate; of numbers for their mean and every quantile. At
// least two totals, at most kMostStreamLines values. Below it what is shown and what is guaranteed.
// See cli/terminal/svg.h for what the document is.
std::string DrawStreamChart(const v1::Answer& answer, const stream::Structure& structure,
                            const StreamChart& chart);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STREAM_CHART_H_
