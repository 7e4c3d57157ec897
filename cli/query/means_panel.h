// The means of key-value pairs as the lower part of a chart.
#ifndef TOMBOLA_CLI_QUERY_MEANS_PANEL_H_
#define TOMBOLA_CLI_QUERY_MEANS_PANEL_H_

#include <string>
#include <vector>

#include "cli/query/histogram_chart.h"
#include "common/kind/levels.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// A dot for each key's mean on the range of its numbers, in the rows' order, and over it the
// interval; a row without a mean says so. `truth`: the true mean of each row, NaN where there is
// none; may be empty.
ChartPanel MeansPanel(const v1::KeyValues& pairs, const Levels& levels,
                      const std::vector<double>& truth);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_MEANS_PANEL_H_
