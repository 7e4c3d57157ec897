// The totals of a stream of numbers for people.
#ifndef TOMBOLA_CLI_QUERY_STREAM_NUMBERS_H_
#define TOMBOLA_CLI_QUERY_STREAM_NUMBERS_H_

#include <string>
#include <vector>

#include "cli/query/stream_chart.h"
#include "cli/query/stream_table.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// A line for each of at most 24 totals: its submissions, and the mean and every quantile, each with
// the half-width of its interval; those marked that have strange periods.
std::string DrawStreamNumbers(const v1::StreamTotals& totals, const StreamTable& table);

// The mean and every quantile over time. Totals that have none are gaps.
std::vector<StreamCurve> NumberCurves(const v1::StreamTotals& totals);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STREAM_NUMBERS_H_
