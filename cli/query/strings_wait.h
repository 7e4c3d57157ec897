// Waits for strings, which a collector searches for beside everything else.
#ifndef TOMBOLA_CLI_QUERY_STRINGS_WAIT_H_
#define TOMBOLA_CLI_QUERY_STRINGS_WAIT_H_

#include "absl/status/statusor.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::cli {

// The answer, of any kind. While the collector searches for strings it is asked again and again,
// and standard error says how far it is.
absl::StatusOr<v1::Answer> AskUntilFound(v1::CollectorQuery::Stub& stub,
                                         const v1::GetAnswerRequest& request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STRINGS_WAIT_H_
