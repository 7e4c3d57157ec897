// Which periods of a task an answer is about.
#ifndef TOMBOLA_COLLECTOR_QUERY_ASKED_PERIODS_H_
#define TOMBOLA_COLLECTOR_QUERY_ASKED_PERIODS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "collector/store/part_runs.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// The periods that a request names, by their numbers or by time; nothing if it names none and is
// about all. InvalidArgument: the task has no periods, or none of these.
absl::StatusOr<std::optional<PartRange>> AskedPeriods(const Task& task,
                                                      const v1::GetAnswerRequest& request);

// The periods asked for, or all, up to the last that is closed or has a counted batch; the first at
// least.
PartRange OverPeriods(const Periods& periods, const std::optional<PartRange>& asked,
                      const PartRuns& counted, absl::Time now);

// Why there is no answer, for people: "no batch of period 3 has been counted: ...", how far the
// next one is, and what was destroyed. `restores` are those in which batches of the task may have
// been lost.
std::string NothingCounted(const CatalogEntry& entry, const std::optional<PartRange>& asked,
                           const std::vector<CatalogRestore>& restores, absl::Time now);

// How many of the periods asked for have begun: in each a device may have made a submission.
uint64_t BegunPeriods(const Periods& periods, const std::optional<PartRange>& asked,
                      const PartRuns& counted, absl::Time now);

// What the answer says of its periods, by the parts that it has counted batches of.
v1::Periods DescribePeriods(const Periods& periods, const std::optional<PartRange>& asked,
                            const PartRuns& counted, absl::Time now);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ASKED_PERIODS_H_
