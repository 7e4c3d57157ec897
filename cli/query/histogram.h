// What `tombola query` asks of a histogram, and how it shows one.
#ifndef TOMBOLA_CLI_QUERY_HISTOGRAM_H_
#define TOMBOLA_CLI_QUERY_HISTOGRAM_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/query/options.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Puts the question into the request. `task` is there if the options are about values or are drawn.
// InvalidArgument: a value is not among the task's, or a chart would have too many bins.
absl::Status SetHistogramQuestion(const QueryOptions& options, const Task* task,
                                  v1::GetAnswerRequest* request);

// The true frequency of each row: what devices that hold the lines of the file would report.
absl::StatusOr<std::vector<double>> HistogramTruth(const v1::Histogram& histogram,
                                                   const Domain& domain, const std::string& path);

// As a table with error bars, and as an SVG document. `truth`: of each row, or nothing.
void WriteHistogramTable(const QueryOptions& options, const v1::Histogram& histogram,
                         const Task& task, const std::vector<double>& truth, std::ostream& out);
void WriteHistogramChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                         const std::vector<double>& truth, std::ostream& out);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_HISTOGRAM_H_
