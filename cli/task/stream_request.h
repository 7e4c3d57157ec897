// What `task create` says of a stream.
#ifndef TOMBOLA_CLI_TASK_STREAM_REQUEST_H_
#define TOMBOLA_CLI_TASK_STREAM_REQUEST_H_

#include "absl/status/status.h"
#include "cli/task/request.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// How many periods, and which of them are counted together. InvalidArgument where flags of a stream
// are given for another kind, are missing, or contradict each other. `request` has its kind.
absl::Status SetStream(const TaskRequestOptions& options, v1::CreateTaskRequest* request);

// What a device says at once: the request's kind, or of a stream what it is of.
v1::Kind KindOfOneBatch(const v1::CreateTaskRequest& request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_STREAM_REQUEST_H_
