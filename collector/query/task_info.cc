#include "collector/query/task_info.h"

#include <string>
#include <utility>

#include "common/base/status_macros.h"
#include "common/kind/kind.h"
#include "common/task/task.h"
#include "common/task/whole_life.h"

namespace tombola::collector {

absl::StatusOr<TaskInfos::Known> TaskInfos::Find(const Task& task) {
  Known known;
  TOMBOLA_ASSIGN_OR_RETURN(known.needed, NeededSubmissions(task));
  known.errors = {.planned_mse = task.kind().PredictedMse(task.batch_policy().planned_submissions),
                  .smallest_mse = task.kind().PredictedMse(known.needed)};
  return known;
}

absl::StatusOr<TaskInfos::Known> TaskInfos::Know(const Task& task) {
  {
    MutexLock lock(mutex_);
    const auto it = known_.find(task.id());
    if (it != known_.end()) return it->second;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const Known known, Find(task));
  MutexLock lock(mutex_);
  known_[task.id()] = known;
  return known;
}

absl::StatusOr<v1::TaskInfo> TaskInfos::Describe(const CatalogEntry& entry) {
  TOMBOLA_ASSIGN_OR_RETURN(v1::TaskInfo info, Counts(entry));
  info.set_task(entry.task->bytes());
  return info;
}

absl::StatusOr<v1::TaskInfo> TaskInfos::DescribePlanned(const std::shared_ptr<const Task>& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const Known known, Find(*task));
  TOMBOLA_ASSIGN_OR_RETURN(v1::TaskInfo info, Say({.task = task}, known));
  info.set_task(task->bytes());
  return info;
}

absl::StatusOr<v1::TaskInfo> TaskInfos::Counts(const CatalogEntry& entry) {
  TOMBOLA_ASSIGN_OR_RETURN(const Known known, Know(*entry.task));
  return Say(entry, known);
}

absl::StatusOr<v1::TaskInfo> TaskInfos::Say(const CatalogEntry& entry, const Known& known) {
  const Task& task = *entry.task;
  const auto totals = ledger_->Totals(task.id());
  v1::TaskInfo info;
  info.set_task_id(std::string(AsView(task.id())));
  info.set_closed(entry.closed);
  info.set_archived(entry.archived);
  if (entry.superseded_by.has_value()) {
    info.set_superseded_by(std::string(AsView(*entry.superseded_by)));
  }
  info.set_counted_batches(static_cast<uint64_t>(totals->counted_batches));
  info.set_quarantined_batches(static_cast<uint64_t>(totals->quarantined_batches));
  info.set_expired_batches(static_cast<uint64_t>(totals->expired_batches));
  info.set_messages(static_cast<uint64_t>(totals->good));
  info.set_reports(static_cast<uint64_t>(totals->tally.submissions));
  info.set_fakes(static_cast<uint64_t>(totals->tally.fakes));
  info.set_rejected(static_cast<uint64_t>(totals->rejected.total()));
  info.set_held_percent(entry.held_percent);
  info.set_expired(static_cast<uint64_t>(entry.expired));
  info.set_needed(static_cast<uint64_t>(known.needed));
  info.set_local_epsilon(task.scheme()->local_epsilon());
  const accounting::EpsilonDelta total = WholeLife(task);
  info.set_total_epsilon(total.epsilon);
  info.set_total_delta(total.delta);
  info.set_warning(WholeLifeWarning(total, MostSubmissions(task)));
  info.set_total_reason(WhyThatMuch(task, MostSubmissions(task)));
  info.set_predicted_mse(known.errors.planned_mse);
  info.set_smallest_batch_mse(known.errors.smallest_mse);
  for (std::string& remark : Remarks(task, known.errors)) info.add_remarks(std::move(remark));
  if (totals_ != nullptr) {
    for (v1::TotalsInfo& of : totals_->Describe(task.id())) *info.add_totals() = std::move(of);
  }
  return info;
}

}  // namespace tombola::collector
