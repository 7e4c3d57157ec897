// Asking for an answer, also for one that there is not yet.
#ifndef TOMBOLA_CLI_QUERY_ASK_H_
#define TOMBOLA_CLI_QUERY_ASK_H_

#include "absl/status/statusor.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::cli {

// The answer; with `wait` also one that there is not yet, as long as the task can still have it.
// Says on standard error what it waits for each time that this is news.
absl::StatusOr<v1::Answer> Ask(v1::CollectorQuery::Stub& stub, const v1::GetAnswerRequest& request,
                               bool wait);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ASK_H_
