// Reports that were encoded and sealed before the clock starts.
#ifndef TOMBOLA_BENCH_LOAD_SEALED_LOAD_H_
#define TOMBOLA_BENCH_LOAD_SEALED_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/ids.h"
#include "common/task/key_list.h"
#include "common/task/task.h"

namespace tombola::bench {

// Submissions of one sealed report each, every one with an id of its own, as they travel: flat.
struct SealedLoad {
  TaskId task{};
  KeyId key{};
  size_t sealed_bytes = 0;
  std::string ids;      // 16 bytes a submission
  std::string reports;  // sealed_bytes a submission

  int64_t size() const { return static_cast<int64_t>(ids.size() / sizeof(SubmissionId)); }
  absl::string_view IdsOf(int64_t first, int64_t count) const;
  absl::string_view ReportsOf(int64_t first, int64_t count) const;
};

// Seals `count` submissions on `threads` threads; submission i reports the value i modulo the
// domain's size. InvalidArgument: the task's mechanism may need several reports a submission.
absl::StatusOr<SealedLoad> Seal(const Task& task, const HpkeKey& key, int64_t count, int threads);

// A file of them, so that one sealing serves several runs of one deployment.
absl::Status Save(const SealedLoad& load, const std::string& path);
// InvalidArgument: not such a file.
absl::StatusOr<SealedLoad> Load(const std::string& path);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_LOAD_SEALED_LOAD_H_
