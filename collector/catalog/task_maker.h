// From what an administrator asks for to a task.
#ifndef TOMBOLA_COLLECTOR_CATALOG_TASK_MAKER_H_
#define TOMBOLA_COLLECTOR_CATALOG_TASK_MAKER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/random/random_source.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// What a task with an interval may keep over its life: 64 GiB of counts of 8 bytes.
inline constexpr uint64_t kMostKeptCounts = uint64_t{1} << 33;

// Points of accountants for all candidates together: some seconds.
inline constexpr int64_t kMostPlanWork = int64_t{1} << 28;

// The same of a stream, every period of which is looked at: a minute for thousands of them.
inline constexpr int64_t kMostStreamWork = int64_t{1} << 32;

// Chooses the mechanism's parameters for the smallest batch less the dishonest share, serialises
// the task once, and reads it back. InvalidArgument names the field that is out of its bounds.
// FailedPrecondition: no parameters meet the target, or finding them would take more than
// kMostPlanWork, or kMostStreamWork. Cancelled: `left`, asked again and again, said that nobody
// waits for the task any more.
absl::StatusOr<std::shared_ptr<const Task>> MakeTask(
    const v1::CreateTaskRequest& request, const std::array<uint8_t, 32>& collector_key,
    absl::Time now, RandomSource& random, const std::function<bool()>& left = [] { return false; });

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_TASK_MAKER_H_
