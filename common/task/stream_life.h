// What a device's submissions to a stream amount to.
#ifndef TOMBOLA_COMMON_TASK_STREAM_LIFE_H_
#define TOMBOLA_COMMON_TASK_STREAM_LIFE_H_

#include <cstdint>

#include "common/accounting/composition.h"
#include "common/task/task.h"

namespace tombola {

// Of so many submissions, at least one, in periods of their own, where batches may have several of
// them (common/kind/stream_device.h); `one` holds for one of them. The task is of a stream.
accounting::EpsilonDelta OverStream(const Task& task, int64_t submissions,
                                    const accounting::EpsilonDelta& one);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_STREAM_LIFE_H_
