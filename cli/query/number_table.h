// How numbers are distributed, for people, in a terminal.
#ifndef TOMBOLA_CLI_QUERY_NUMBER_TABLE_H_
#define TOMBOLA_CLI_QUERY_NUMBER_TABLE_H_

#include <string>

#include "cli/query/histogram_table.h"
#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// A line each for the devices that are counted, the mean, the sum and every quantile, with its
// interval; with the truth that too, and a flag where it lies outside. Below it the quantiles on a
// line from the first bin to the last.
std::string DrawNumbers(const v1::Distribution& numbers, const DrawOptions& options,
                        const Truth& truth);

// The bins, to be drawn as a histogram is.
v1::Histogram BinsOf(const v1::Distribution& numbers);

// What was counted, what stands in for where numbers lie within bins, and what is left out, in
// lines.
std::string DescribeNumbers(const v1::Distribution& numbers);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_NUMBER_TABLE_H_
