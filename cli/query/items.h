// What `tombola query` shows of sets and key-value pairs alike: the shares of devices that hold
// each value, and how many they hold.
#ifndef TOMBOLA_CLI_QUERY_ITEMS_H_
#define TOMBOLA_CLI_QUERY_ITEMS_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/query/histogram_chart.h"
#include "cli/query/histogram_table.h"
#include "cli/query/options.h"
#include "cli/query/rows.h"
#include "common/base/status_macros.h"
#include "common/json/rows.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// The columns that are a histogram's too, to be drawn as one is.
template <typename Body>
v1::Histogram AsHistogram(const Body& body) {
  v1::Histogram histogram;
  *histogram.mutable_values() = body.values();
  *histogram.mutable_labels() = body.labels();
  *histogram.mutable_frequencies() = body.frequencies();
  *histogram.mutable_raw() = body.raw();
  *histogram.mutable_standard_errors() = body.standard_errors();
  *histogram.mutable_low() = body.low();
  *histogram.mutable_high() = body.high();
  histogram.set_max_error(body.max_error());
  if (body.has_ranking()) *histogram.mutable_ranking() = body.ranking();
  return histogram;
}

// Puts the rows that are asked for into a question.
template <typename Question>
absl::Status AskItems(const QueryOptions& options, const Task& task, Question* question) {
  TOMBOLA_ASSIGN_OR_RETURN(const AskedRows asked, RowsAsked(options, task));
  question->set_top(asked.top);
  question->mutable_values()->Add(asked.values.begin(), asked.values.end());
  return absl::OkStatus();
}

// What is true of each of the values if the devices hold the lines of the file: the shares, and the
// means of the numbers, which are 0 of a set.
absl::StatusOr<Truth> ItemsTruth(const google::protobuf::RepeatedField<uint64_t>& values,
                                 const Task& task, const std::string& path);

// How many things devices hold, in a line, and the hint if there is one.
std::string DescribeSizes(const v1::Sizes& sizes);

// The shares as a histogram's table, and the answer as a histogram's chart with what is below it.
void WriteShares(const QueryOptions& options, const v1::Histogram& shares, const Task& task,
                 const Truth& truth, std::ostream& out);
void WriteSharesChart(const QueryOptions& options, const v1::Answer& answer,
                      const v1::Histogram& shares, const Task& task, const Truth& truth,
                      ChartPanel below, std::ostream& out);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ITEMS_H_
