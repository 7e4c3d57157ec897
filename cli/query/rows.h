// What `tombola query` asks of kinds whose answers have a row for each value.
#ifndef TOMBOLA_CLI_QUERY_ROWS_H_
#define TOMBOLA_CLI_QUERY_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/query/options.h"
#include "cli/report/device_lines.h"
#include "cli/report/report_many.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// The rows that are asked for: values of the domain (none: all), and how many of the largest (0:
// all).
struct AskedRows {
  std::vector<uint64_t> values;
  uint64_t top = 0;
};

// InvalidArgument: a value is not among the task's, or a chart would have too many rows.
absl::StatusOr<AskedRows> RowsAsked(const QueryOptions& options, const Task& task);

// The records of the devices of a file, with the numbers of their lines. InvalidArgument: it has
// none, or a line that cannot be read, which is named.
absl::StatusOr<Devices> DevicesOf(const Task& task, const std::string& path);
// The same of lines that are read otherwise than `tombola report --input` reads those of the task.
absl::StatusOr<Devices> DevicesOf(DeviceLines::Read read, const std::string& path);

// The complaint about one of them.
absl::Status BadLine(const std::string& path, int64_t line, absl::string_view why);

// "the 50 largest of 300 bins: ..." where a table does not show all; else nothing.
std::string LeftOut(const QueryOptions& options, const Task& task, int64_t shown);

// Whether a table says what is sure of the order of its rows: where --top asks for the largest.
inline bool ShowsPlaces(const QueryOptions& options) { return options.top.value_or(0) > 0; }

// What is sure of the largest, in a sentence; else nothing.
std::string DescribePlaces(const QueryOptions& options, const v1::Ranking& ranking);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ROWS_H_
