#include "shuffler/forward/progress.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/task/progress.h"

namespace tombola::shuffler {

uint32_t CoarsePercent(int64_t held, int64_t planned) {
  const double share =
      static_cast<double>(held) / static_cast<double>(std::max<int64_t>(1, planned));
  return static_cast<uint32_t>(std::min(20.0, share * 20.0)) * 5;
}

void ProgressReporter::Step() {
  absl::flat_hash_map<TaskId, int64_t> held, held_for_periods;
  for (const HeldInfo& info : parts_.store->Held()) {
    (info.for_period ? held_for_periods : held)[info.of.task] += info.submissions;
  }
  const absl::StatusOr<absl::Time> now = parts_.clock->SureNow();
  const absl::Duration steady = parts_.steady->Now();
  for (const CatalogEntry& entry : parts_.catalog->Tasks()) {
    const TaskId& id = entry.task->id();
    const int64_t waiting = (entry.task->nodes() == nullptr ? held : held_for_periods)[id];
    Told& told = told_[id];
    told.left |= waiting < std::exchange(told.held, waiting);
    if (!now.ok() || (told.at.has_value() && steady - *told.at < absl::Minutes(1))) continue;
    const uint32_t percent = CoarsePercent(waiting, entry.task->batch_policy().planned_submissions);
    const int64_t expired = parts_.store->Counters(id).expired;
    if (told.at.has_value() && percent == told.percent && expired == told.expired && !told.left) {
      continue;
    }
    const Progress progress{.task = id, .held_percent = percent, .expired = expired, .time = *now};
    v1::SignedProgress message;
    message.set_progress(progress.Serialise());
    message.set_signature(parts_.signing_key->Sign(kProgressContext, message.progress()));
    // What fails is told the next time.
    if (parts_.tell(message).ok()) {
      told = {.percent = percent, .expired = expired, .at = steady, .held = told.held};
    }
  }
}

}  // namespace tombola::shuffler
