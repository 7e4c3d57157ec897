// Reads what a release of a stream's node takes.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_NODE_REPORTS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_NODE_REPORTS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/store/detached.h"

namespace tombola::shuffler {

// As ReadHeld, of the logs of one node, which hold what `accepted` says. A node lives longer than
// what was taken is known at the door: a group with a sealed report that another one of the node
// has is left out, whichever submission it came with. `duplicates` are those and the ones of
// `accepted`.
//
// The logs are read twice where reports are taken one by one; a third time, on one thread, where
// something is left out. Memory: as ReadHeld.
absl::StatusOr<DetachedTotals> ReadNode(absl::Span<const LogInfo> logs, const Amounts& accepted,
                                        size_t threads, const ReportsTo& to);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_NODE_REPORTS_H_
