// What a request for a task says of several things that a device holds.
#ifndef TOMBOLA_CLI_TASK_ITEMS_REQUEST_H_
#define TOMBOLA_CLI_TASK_ITEMS_REQUEST_H_

#include "absl/status/status.h"
#include "cli/task/request.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Sets what only sets and key-value pairs have; numbers have some of it too. The kind is set.
// InvalidArgument: what is said does not go together with it.
absl::Status SetItems(const TaskRequestOptions& options, v1::CreateTaskRequest* request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_ITEMS_REQUEST_H_
