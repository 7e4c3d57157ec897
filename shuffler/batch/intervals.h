// Which intervals of tasks have ended, over restarts.
#ifndef TOMBOLA_SHUFFLER_BATCH_INTERVALS_H_
#define TOMBOLA_SHUFFLER_BATCH_INTERVALS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"

namespace tombola::shuffler {

// For each task how many of its intervals had ended when that was last acted upon, so that the end
// of one is noticed that came while the shuffler was down. One small file (docs/store-format.md).
// Not thread-safe.
class Intervals {
 public:
  // Nothing is known where there is no file. DataLoss: it is damaged.
  static absl::StatusOr<Intervals> Open(std::string path);

  // Nothing: the task has not been seen.
  std::optional<int64_t> Ended(const TaskId& task) const;
  void Note(const TaskId& task, int64_t ended);
  // No longer asked for.
  void Forget(const TaskId& task);

  // Writes what has changed since it was last written. After a failure the next call tries again.
  absl::Status Save();

 private:
  explicit Intervals(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::map<TaskId, int64_t> ended_;
  bool changed_ = false;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_INTERVALS_H_
