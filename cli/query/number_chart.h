// How numbers are distributed, as an SVG document.
#ifndef TOMBOLA_CLI_QUERY_NUMBER_CHART_H_
#define TOMBOLA_CLI_QUERY_NUMBER_CHART_H_

#include <string>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct NumberChart {
  std::string title;         // the task's name
  std::string postprocess;   // how the shares were processed, as on the command line
  double confidence = 0.95;  // of the intervals
};

// Along the numbers a bar for each bin, as high as its share or, where bins differ in width, as its
// share by width, with its interval; lines at the mean and the quantiles, with theirs as bands;
// with the truth a mark in each bin. Below it what is shown and what is guaranteed. Without bins
// the mean alone. See cli/terminal/svg.h for what the document is.
std::string DrawNumberChart(const v1::Answer& answer, const NumberChart& chart, const Truth& truth);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_NUMBER_CHART_H_
