// What `tombola query` asks of a histogram, and how it shows one.
#ifndef TOMBOLA_CLI_QUERY_HISTOGRAM_H_
#define TOMBOLA_CLI_QUERY_HISTOGRAM_H_

#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "cli/query/face.h"

namespace tombola::cli {

QueryFace HistogramFace();

// What streams share with it. Of values the share of the file's devices that say each; the status
// is that of QueryFace::truth.
absl::StatusOr<Truth> TruthOfValues(const google::protobuf::RepeatedField<uint64_t>& values,
                                    const Task& task, const std::string& path);
// Of an answer that has a histogram, whatever its kind.
void WriteHistogramChart(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                         const Truth& truth, std::ostream& out);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_HISTOGRAM_H_
