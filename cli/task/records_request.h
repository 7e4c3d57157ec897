// What a request for a task says of records.
#ifndef TOMBOLA_CLI_TASK_RECORDS_REQUEST_H_
#define TOMBOLA_CLI_TASK_RECORDS_REQUEST_H_

#include "absl/status/status.h"
#include "cli/task/request.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Sets what only records have: a schema instead of values. Where that leaves max_records open, the
// smallest batch as well, by which it is chosen. InvalidArgument: what is said does not go together
// with it, or with the schema.
absl::Status SetRecords(const TaskRequestOptions& options, v1::CreateTaskRequest* request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_RECORDS_REQUEST_H_
