// A task's counters on disk: what is over. What is held or waits in the outbox counts itself.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_COUNTERS_FILE_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_COUNTERS_FILE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

struct CountersRecord {
  TaskCounters counters;
  // The task's next log gets this sequence number or a higher one.
  uint64_t next_sequence = 0;
  // Windows before this one are forgotten and never taken again, whatever a clock says later.
  uint32_t oldest_window = 0;
  // Logs that `counters` includes already. If one of them, or the batch made of it, is still found
  // after a crash, its removal was under way and is finished; it is not counted again.
  std::set<uint64_t> ended;
};

// One file a task, `<task hex>`, replaced as a whole. Not thread-safe.
class CountersFiles {
 public:
  explicit CountersFiles(std::string directory) : directory_(std::move(directory)) {}

  // Removes drafts. DataLoss: a file is damaged.
  absl::StatusOr<std::map<TaskId, CountersRecord>> Load() const;

  // The two steps of a replacement (file.h): after a failure of the second it is in doubt which
  // counters a restart would find.
  absl::Status Prepare(const TaskId& task, const CountersRecord& record) const;
  absl::Status Adopt(const TaskId& task) const;

 private:
  const std::string directory_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_COUNTERS_FILE_H_
