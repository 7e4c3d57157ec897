#include "shuffler/batch/gates.h"

#include <utility>

#include "common/base/status_macros.h"

namespace tombola::shuffler {

absl::StatusOr<std::shared_ptr<const Gate>> Gates::For(const std::shared_ptr<const Task>& task) {
  {
    MutexLock lock(mutex_);
    const auto it = gates_.find(task->id());
    if (it != gates_.end()) return it->second;
  }
  TOMBOLA_ASSIGN_OR_RETURN(Gate gate, Gate::Create(task));
  auto shared = std::make_shared<const Gate>(std::move(gate));
  MutexLock lock(mutex_);
  return gates_.emplace(task->id(), std::move(shared)).first->second;
}

}  // namespace tombola::shuffler
