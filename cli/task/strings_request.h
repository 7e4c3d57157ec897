// What `task create` says of strings.
#ifndef TOMBOLA_CLI_TASK_STRINGS_REQUEST_H_
#define TOMBOLA_CLI_TASK_STRINGS_REQUEST_H_

#include "absl/status/status.h"
#include "cli/task/request.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Their alphabet and their length. InvalidArgument where flags of strings are given for another
// kind, are missing or out of their bounds, or where such are given that strings do not have.
// `request` has its kind.
absl::Status SetStrings(const TaskRequestOptions& options, v1::CreateTaskRequest* request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_STRINGS_REQUEST_H_
