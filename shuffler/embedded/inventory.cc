#include "shuffler/embedded/inventory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::shuffler {

CountersRecord AfterErase(CountersRecord over, const BatchRecord& record, BatchEnd end) {
  over.counters.accepted += record.totals.submissions;
  over.counters.duplicates += record.totals.duplicates;
  (end == BatchEnd::kForwarded ? over.counters.forwarded : over.counters.expired) +=
      record.totals.submissions;
  ++over.counters.released_batches;
  over.ended.insert(record.sources.begin(), record.sources.end());
  return over;
}

CountersRecord AfterDestroy(CountersRecord over, const Leaving& leaving) {
  over.counters.accepted += leaving.amounts.submissions;
  over.counters.duplicates += leaving.amounts.duplicates;
  over.counters.expired += leaving.amounts.submissions;
  for (const LogInfo& log : leaving.logs) over.ended.insert(log.header.sequence);
  return over;
}

absl::Status Inventory::AddTask(const TaskId& id, const TaskShape& shape) {
  MutexLock lock(mutex_);
  Task& task = tasks_[id];
  if (!task.shape.has_value()) task.shape = TaskShape{shape.sealed_bytes, 0};
  if (task.shape->max_reports_per_submission == 0) {  // first added, or known from its logs only
    task.shape->max_reports_per_submission = shape.max_reports_per_submission;
  }
  if (task.shape->sealed_bytes != shape.sealed_bytes ||
      task.shape->max_reports_per_submission != shape.max_reports_per_submission) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the task is known with reports of ", task.shape->sealed_bytes, " bytes and at most ",
        task.shape->max_reports_per_submission, " a submission"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TaskShape> Inventory::Shape(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto task = tasks_.find(id);
  if (task == tasks_.end() || !task->second.shape.has_value() ||
      task->second.shape->max_reports_per_submission == 0) {
    return absl::NotFoundError("no such task");
  }
  return *task->second.shape;
}

void Inventory::RecoverCounters(const TaskId& task, const CountersRecord& record) {
  MutexLock lock(mutex_);
  tasks_[task].over = record;
}

void Inventory::RecoverBatch(const BatchRecord& record) {
  MutexLock lock(mutex_);
  uint64_t& next = tasks_[record.totals.of.task].over.next_sequence;
  for (const uint64_t source : record.sources) next = std::max(next, source + 1);
  outbox_[record.totals.batch] = record;
  CountOutbox(record, 1);
}

void Inventory::Count(const TaskId& task, const Load& change) {
  tasks_[task].load += change;
  load_ += change;
}

void Inventory::CountHeld(const TaskId& task, int64_t sign, int64_t reports) {
  const std::optional<TaskShape>& shape = tasks_[task].shape;
  TOMBOLA_CHECK(shape.has_value());
  Count(task, {.reports = sign * reports, .bytes = sign * reports * shape->sealed_bytes});
}

void Inventory::CountOutbox(const BatchRecord& record, int64_t sign) {
  Count(record.totals.of.task,
        {.outbox_bytes = sign * record.totals.reports_out * record.sealed_bytes});
}

Load Inventory::LoadOf(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto task = tasks_.find(id);
  return task == tasks_.end() ? Load{} : task->second.load;
}

Load Inventory::LoadOfAll() const {
  MutexLock lock(mutex_);
  return load_;
}

absl::Status Inventory::RecoverLog(const LogInfo& log) {
  MutexLock lock(mutex_);
  Task& task = tasks_[log.header.of.task];
  if (!task.shape.has_value()) task.shape = TaskShape{log.header.sealed_bytes, 0};
  if (task.shape->sealed_bytes != log.header.sealed_bytes) {
    return absl::DataLossError(absl::StrCat(log.path, " has reports of ", log.header.sealed_bytes,
                                            " bytes, another log of the task of ",
                                            task.shape->sealed_bytes));
  }
  HeldKey& held = held_[log.header.of];
  held.closed.push_back(log);
  held.waiting += log.amounts;
  CountHeld(log.header.of.task, 1, log.amounts.reports);
  task.over.next_sequence = std::max(task.over.next_sequence, log.header.sequence + 1);
  return absl::OkStatus();
}

uint64_t Inventory::NextSequence(const TaskId& task) {
  MutexLock lock(mutex_);
  return tasks_[task].over.next_sequence++;
}

void Inventory::Committed(const BatchKey& of, const Amounts& amounts) {
  if (amounts.submissions == 0 && amounts.duplicates == 0) return;
  MutexLock lock(mutex_);
  const HeldKey* held = FindHeld(of);
  const bool waits = amounts.submissions > 0 || (held != nullptr && held->waiting.submissions > 0);
  if (waits) {
    held_[of].waiting += amounts;
    CountHeld(of.task, 1, amounts.reports);
    return;
  }
  // Duplicates of what has left: they belong to no batch.
  Task& task = tasks_[of.task];
  task.over.counters.duplicates += amounts.duplicates;
  task.unsaved = true;
}

const Inventory::HeldKey* Inventory::FindHeld(const BatchKey& of) const {
  const auto held = held_.find(of);
  return held == held_.end() ? nullptr : &held->second;
}

void Inventory::Tidy(const BatchKey& of) {
  const auto held = held_.find(of);
  if (held == held_.end() || held->second.leaving.has_value()) return;
  if (held->second.closed.empty() && held->second.waiting.submissions == 0) held_.erase(held);
}

absl::Status Inventory::CanDetachLocked(const BatchKey& of) const {
  const HeldKey* held = FindHeld(of);
  if (held != nullptr && held->leaving.has_value()) {
    return absl::FailedPreconditionError(
        "what was held under this key is being released or destroyed, or such an attempt ended in "
        "doubt and the store must be reopened");
  }
  if (held == nullptr || held->waiting.submissions == 0) {
    return absl::FailedPreconditionError("nothing is held under this key");
  }
  return absl::OkStatus();
}

absl::Status Inventory::CanDetach(const BatchKey& of) const {
  MutexLock lock(mutex_);
  return CanDetachLocked(of);
}

absl::StatusOr<Leaving> Inventory::Detach(const BatchKey& of, const std::optional<LogInfo>& open) {
  MutexLock lock(mutex_);
  TOMBOLA_RETURN_IF_ERROR(CanDetachLocked(of));
  HeldKey& held = held_[of];
  Leaving leaving = {of, std::move(held.closed), held.waiting};
  if (open.has_value()) leaving.logs.push_back(*open);
  held.closed.clear();
  held.waiting = {};
  held.leaving = leaving.amounts;
  return leaving;
}

void Inventory::Return(const Leaving& leaving) {
  MutexLock lock(mutex_);
  HeldKey& held = held_[leaving.of];
  TOMBOLA_CHECK(held.leaving.has_value());
  held.closed.insert(held.closed.end(), leaving.logs.begin(), leaving.logs.end());
  held.waiting += leaving.amounts;
  held.leaving.reset();
}

void Inventory::Released(const Leaving& leaving, const BatchRecord& record) {
  MutexLock lock(mutex_);
  held_[leaving.of].leaving.reset();
  Tidy(leaving.of);
  outbox_[record.totals.batch] = record;
  CountHeld(leaving.of.task, -1, leaving.amounts.reports);
  CountOutbox(record, 1);
}

void Inventory::Destroyed(const Leaving& leaving) {
  MutexLock lock(mutex_);
  Task& task = tasks_[leaving.of.task];
  held_[leaving.of].leaving.reset();
  Tidy(leaving.of);
  task.over = AfterDestroy(std::move(task.over), leaving);
  CountHeld(leaving.of.task, -1, leaving.amounts.reports);
}

std::vector<Manifest> Inventory::Outbox() const {
  MutexLock lock(mutex_);
  std::vector<Manifest> batches;
  for (const auto& [id, record] : outbox_) batches.push_back(record.totals);
  return batches;
}

absl::StatusOr<BatchRecord> Inventory::Batch(const BatchId& batch) const {
  MutexLock lock(mutex_);
  const auto it = outbox_.find(batch);
  if (it == outbox_.end()) return absl::NotFoundError("no such batch in the outbox");
  return it->second;
}

void Inventory::Erased(const BatchRecord& record, BatchEnd end) {
  MutexLock lock(mutex_);
  if (outbox_.erase(record.totals.batch) > 0) CountOutbox(record, -1);
  Task& task = tasks_[record.totals.of.task];
  task.over = AfterErase(std::move(task.over), record, end);
}

std::vector<HeldInfo> Inventory::Held() const {
  MutexLock lock(mutex_);
  std::vector<HeldInfo> infos;
  for (const auto& [of, held] : held_) {
    if (held.waiting.submissions == 0) continue;
    infos.push_back({of, held.waiting.submissions, held.waiting.reports, held.waiting.duplicates});
  }
  return infos;
}

TaskCounters Inventory::Counters(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto task = tasks_.find(id);
  if (task == tasks_.end()) return {};
  TaskCounters counters = task->second.over.counters;
  for (auto held = held_.lower_bound({.task = id}); held != held_.end(); ++held) {
    if (held->first.task != id) break;
    Amounts amounts = held->second.waiting;
    if (held->second.leaving.has_value()) amounts += *held->second.leaving;
    counters.accepted += amounts.submissions;
    counters.duplicates += amounts.duplicates;
  }
  for (const auto& [batch, record] : outbox_) {
    if (record.totals.of.task != id) continue;
    counters.accepted += record.totals.submissions;
    counters.duplicates += record.totals.duplicates;
    ++counters.released_batches;
  }
  return counters;
}

CountersRecord Inventory::Over(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto task = tasks_.find(id);
  return task == tasks_.end() ? CountersRecord{} : task->second.over;
}

void Inventory::Removed(const TaskId& task, const std::vector<uint64_t>& sequences) {
  MutexLock lock(mutex_);
  for (const uint64_t sequence : sequences) tasks_[task].over.ended.erase(sequence);
}

void Inventory::Forgot(const TaskId& task, uint32_t window) {
  MutexLock lock(mutex_);
  uint32_t& oldest = tasks_[task].over.oldest_window;
  oldest = std::max(oldest, window);
}

std::vector<TaskId> Inventory::Unsaved() const {
  MutexLock lock(mutex_);
  std::vector<TaskId> unsaved;
  for (const auto& [id, task] : tasks_) {
    if (task.unsaved) unsaved.push_back(id);
  }
  return unsaved;
}

void Inventory::Saved(const TaskId& task) {
  MutexLock lock(mutex_);
  tasks_[task].unsaved = false;
}

}  // namespace tombola::shuffler
