// The tasks that took each other's place.
#ifndef TOMBOLA_CLI_QUERY_LINEAGE_H_
#define TOMBOLA_CLI_QUERY_LINEAGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::cli {

// A lineage is followed so far to either side.
inline constexpr int kMostGenerations = 1000;

// Oldest first; the task itself is among them. OutOfRange: there are more than kMostGenerations.
absl::StatusOr<std::vector<TaskId>> LineageOf(v1::CollectorQuery::Stub& stub, const TaskId& id);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_LINEAGE_H_
