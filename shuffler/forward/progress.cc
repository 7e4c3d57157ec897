#include "shuffler/forward/progress.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tombola::shuffler {

uint32_t CoarsePercent(int64_t held, int64_t planned) {
  const double share =
      static_cast<double>(held) / static_cast<double>(std::max<int64_t>(1, planned));
  return static_cast<uint32_t>(std::min(20.0, share * 20.0)) * 5;
}

void ProgressReporter::Step() {
  absl::flat_hash_map<TaskId, int64_t> held;
  for (const HeldInfo& info : store_->Held()) held[info.task] += info.submissions;
  const absl::Time now = clock_->Now();
  for (const CatalogEntry& entry : catalog_->Tasks()) {
    const TaskId& id = entry.task->id();
    Told& told = told_[id];
    told.left |= held[id] < std::exchange(told.held, held[id]);
    if (now - told.at < absl::Minutes(1)) continue;
    const uint32_t percent =
        CoarsePercent(held[id], entry.task->batch_policy().planned_submissions);
    const int64_t expired = store_->Counters(id).expired;
    if (told.at != absl::InfinitePast() && percent == told.percent && expired == told.expired &&
        !told.left) {
      continue;
    }
    v1::Progress progress;
    progress.set_task_id(std::string(AsView(id)));
    progress.set_held_percent(percent);
    progress.set_expired(static_cast<uint64_t>(expired));
    // What fails is told the next time.
    if (link_->ReportProgress(progress, absl::Seconds(10)).ok()) {
      told = {.percent = percent, .expired = expired, .at = now, .held = told.held};
    }
  }
}

}  // namespace tombola::shuffler
