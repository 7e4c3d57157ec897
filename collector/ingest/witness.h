// Whose clock the collector compares its own with.
#ifndef TOMBOLA_COLLECTOR_INGEST_WITNESS_H_
#define TOMBOLA_COLLECTOR_INGEST_WITNESS_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "collector/catalog/catalog.h"

namespace tombola::collector {

// What a serialised ShufflerTime says, if a shuffler that a task names has signed it and the task
// is not closed: then the role `shuffler` of whoever brings it counts for nothing. A task that has
// ended by this clock still counts, for this clock is what is in question. While no task is open
// the closed ones' shufflers count, and while there is no task at all, so that nothing can be lost,
// anybody's does: the first task need not wait. Nothing: it is no witness. Free of gRPC.
// Thread-safe.
std::optional<absl::Time> WitnessedTime(const Catalog& catalog, const std::string& time,
                                        const std::string& signature);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_WITNESS_H_
