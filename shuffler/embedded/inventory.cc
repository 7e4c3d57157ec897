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

CountersRecord AfterScatter(CountersRecord over, const Leaving& leaving) {
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

void Inventory::CountHeld(const TaskId& task, int64_t sign, int64_t reports, bool for_period) {
  const std::optional<TaskShape>& shape = tasks_[task].shape;
  TOMBOLA_CHECK(shape.has_value());
  const int64_t bytes = CopiesOf(for_period) * reports * shape->sealed_bytes;
  Count(task, {.reports = sign * reports, .bytes = sign * bytes});
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
  HeldKey& held = Keys(log.header.of_period())[log.header.of];
  const int64_t batches =
      log.header.of_period() ? static_cast<int64_t>(log.header.nodes.size()) : 1;
  if (!held.closed.empty() && held.batches != batches) {
    return absl::DataLossError(absl::StrCat(log.path, " is of ", batches,
                                            " nodes, another log of the period of ", held.batches));
  }
  held.closed.push_back(log);
  held.waiting += log.amounts;
  held.batches = batches;
  CountHeld(log.header.of.task, 1, log.amounts.reports, log.header.of_period());
  uint64_t& next = task.over.next_sequence;
  next = std::max(next, log.header.sequence + 1);
  // A log that is named as a source is over: another one of its number would be taken for it.
  for (const uint64_t source : log.header.sources) next = std::max(next, source + 1);
  return absl::OkStatus();
}

uint64_t Inventory::NextSequence(const TaskId& task) {
  MutexLock lock(mutex_);
  return tasks_[task].over.next_sequence++;
}

void Inventory::Committed(const BatchKey& of, size_t nodes, const Amounts& amounts) {
  if (amounts.submissions == 0 && amounts.duplicates == 0) return;
  MutexLock lock(mutex_);
  HeldKeys& keys = Keys(nodes > 0);
  const auto held = keys.find(of);
  const bool waits =
      amounts.submissions > 0 || (held != keys.end() && held->second.waiting.submissions > 0);
  if (waits) {
    HeldKey& key = keys[of];
    key.waiting += amounts;
    if (nodes > 0) key.batches = static_cast<int64_t>(nodes);
    CountHeld(of.task, 1, amounts.reports, nodes > 0);
    return;
  }
  // Duplicates of what has left: they belong to no batch.
  Task& task = tasks_[of.task];
  task.over.counters.duplicates += amounts.duplicates;
  task.unsaved = true;
}

absl::Status Inventory::CanDetachLocked(const BatchKey& of, bool for_period) const {
  const HeldKeys& keys = Keys(for_period);
  const auto held = keys.find(of);
  if (held != keys.end() && held->second.leaving.has_value()) {
    return absl::FailedPreconditionError(
        "what was held under this key is being released or destroyed, or such an attempt ended in "
        "doubt and the store must be reopened");
  }
  if (held == keys.end() || held->second.waiting.submissions == 0) {
    return absl::FailedPreconditionError("nothing is held under this key");
  }
  return absl::OkStatus();
}

absl::Status Inventory::CanDetach(const BatchKey& of, bool for_period) const {
  MutexLock lock(mutex_);
  return CanDetachLocked(of, for_period);
}

absl::StatusOr<Leaving> Inventory::Detach(const BatchKey& of, bool for_period,
                                          const std::vector<LogInfo>& open) {
  MutexLock lock(mutex_);
  TOMBOLA_RETURN_IF_ERROR(CanDetachLocked(of, for_period));
  HeldKey& held = Keys(for_period)[of];
  Leaving leaving = {of, std::move(held.closed), held.waiting, for_period};
  leaving.logs.insert(leaving.logs.end(), open.begin(), open.end());
  held.closed.clear();
  held.waiting = {};
  held.leaving = leaving.amounts;
  return leaving;
}

void Inventory::Return(const Leaving& leaving) {
  MutexLock lock(mutex_);
  HeldKey& held = Keys(leaving.for_period)[leaving.of];
  TOMBOLA_CHECK(held.leaving.has_value());
  held.closed.insert(held.closed.end(), leaving.logs.begin(), leaving.logs.end());
  held.waiting += leaving.amounts;
  held.leaving.reset();
}

void Inventory::Left(const Leaving& leaving) {
  HeldKeys& keys = Keys(leaving.for_period);
  const auto held = keys.find(leaving.of);
  held->second.leaving.reset();
  if (held->second.closed.empty() && held->second.waiting.submissions == 0) keys.erase(held);
}

void Inventory::Released(const Leaving& leaving, const BatchRecord& record) {
  MutexLock lock(mutex_);
  Left(leaving);
  outbox_[record.totals.batch] = record;
  CountHeld(leaving.of.task, -1, leaving.amounts.reports, /*for_period=*/false);
  CountOutbox(record, 1);
}

void Inventory::Destroyed(const Leaving& leaving) {
  MutexLock lock(mutex_);
  Task& task = tasks_[leaving.of.task];
  Left(leaving);
  task.over = AfterDestroy(std::move(task.over), leaving);
  CountHeld(leaving.of.task, -1, leaving.amounts.reports, /*for_period=*/false);
}

void Inventory::Scattered(const Leaving& leaving, const std::vector<LogInfo>& nodes) {
  MutexLock lock(mutex_);
  Task& task = tasks_[leaving.of.task];
  Left(leaving);
  task.over = AfterScatter(std::move(task.over), leaving);
  int64_t reports = 0;
  for (const LogInfo& log : nodes) {
    HeldKey& held = held_[log.header.of];
    held.closed.push_back(log);
    held.waiting += log.amounts;
    reports += log.amounts.reports;
  }
  TOMBOLA_CHECK(reports == leaving.amounts.reports);
  CountHeld(leaving.of.task, -1, reports, /*for_period=*/true);
  CountHeld(leaving.of.task, 1, reports, /*for_period=*/false);
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
  for (const bool for_period : {true, false}) {
    for (const auto& [of, held] : Keys(for_period)) {
      const Amounts& waiting = held.waiting;
      if (waiting.submissions == 0) continue;
      infos.push_back({of, waiting.submissions, waiting.reports, waiting.duplicates, for_period});
    }
  }
  return infos;
}

TaskCounters Inventory::Counters(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto task = tasks_.find(id);
  if (task == tasks_.end()) return {};
  TaskCounters counters = task->second.over.counters;
  for (const bool for_period : {true, false}) {
    const HeldKeys& keys = Keys(for_period);
    for (auto held = keys.lower_bound({.task = id}); held != keys.end(); ++held) {
      if (held->first.task != id) break;
      Amounts amounts = held->second.waiting;
      if (held->second.leaving.has_value()) amounts += *held->second.leaving;
      counters.accepted += amounts.submissions * held->second.batches;
      counters.duplicates += amounts.duplicates;
    }
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
