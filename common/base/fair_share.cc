#include "common/base/fair_share.h"

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"

namespace tombola {

absl::StatusOr<FairShare::Ticket> FairShare::Enter(const TaskId& task, int64_t bytes) {
  if (bytes > limits_.bytes) {
    return Refusal("size",
                   absl::StrCat("the call needs ", bytes,
                                " bytes of memory; all calls together may hold ", limits_.bytes),
                   std::nullopt);
  }
  MutexLock lock(mutex_);
  if (all_.calls >= limits_.calls) {
    return Refusal("calls", absl::StrCat("busy: ", limits_.calls, " calls are in flight"),
                   limits_.retry);
  }
  if (all_.bytes + bytes > limits_.bytes) {
    return Refusal("bytes",
                   absl::StrCat("busy: the calls in flight hold nearly all of ", limits_.bytes,
                                " bytes of memory"),
                   limits_.retry);
  }
  const auto found = tasks_.find(task);
  const Use own = found == tasks_.end() ? Use{} : found->second;
  const bool within = own.calls + 1 <= limits_.calls - all_.calls &&
                      own.bytes + bytes <= limits_.bytes - all_.bytes;
  if (own.calls > 0 && !within) {
    return Refusal("share", "busy: this task has its share of what may be in flight",
                   limits_.retry);
  }
  all_.calls += 1;
  all_.bytes += bytes;
  Use& use = found == tasks_.end() ? tasks_[task] : found->second;
  use.calls += 1;
  use.bytes += bytes;
  return Ticket(this, task, bytes);
}

void FairShare::Leave(const TaskId& task, int64_t calls, int64_t bytes) {
  MutexLock lock(mutex_);
  all_.calls -= calls;
  all_.bytes -= bytes;
  const auto use = tasks_.find(task);
  use->second.calls -= calls;
  use->second.bytes -= bytes;
  if (use->second.calls == 0) tasks_.erase(use);
}

int64_t FairShare::calls() const {
  MutexLock lock(mutex_);
  return all_.calls;
}

int64_t FairShare::bytes() const {
  MutexLock lock(mutex_);
  return all_.bytes;
}

}  // namespace tombola
