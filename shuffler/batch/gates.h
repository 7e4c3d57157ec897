// One gate a task, made once: finding the needed number takes a search.
#ifndef TOMBOLA_SHUFFLER_BATCH_GATES_H_
#define TOMBOLA_SHUFFLER_BATCH_GATES_H_

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "shuffler/batch/gate.h"

namespace tombola::shuffler {

// Thread-safe.
class Gates {
 public:
  absl::StatusOr<std::shared_ptr<const Gate>> For(const std::shared_ptr<const Task>& task);

 private:
  Mutex mutex_;
  absl::flat_hash_map<TaskId, std::shared_ptr<const Gate>> gates_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_GATES_H_
