// Fills the digest index at start, on all cores.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_DIGEST_LOADER_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_DIGEST_LOADER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/types/span.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "shuffler/digests/digest_index.h"
#include "shuffler/embedded/work_line.h"
#include "shuffler/log/frame_reader.h"
#include "shuffler/log/log_format.h"

namespace tombola::shuffler {

// One thread adds; the threads of the loader hash the reports and insert. What comes out does not
// depend on their order: a digest that is remembered is in one window only. What was forgotten is
// not loaded: TaskDigests::ForgetBefore comes first. Memory while it runs: two chunks a thread, and
// 1.3 MB a thread for digests on their way.
class DigestLoader {
 public:
  // `index` is the loader's until Finish.
  DigestLoader(size_t threads, DigestIndex& index);
  ~DigestLoader() { Finish(); }

  // Takes the memory of the chunk and leaves other memory in it. Not of a node's log: what is in it
  // is remembered by the seen files.
  void AddHeld(const LogHeader& header, FrameChunk& chunk);
  void AddSeen(const TaskId& task, uint32_t window, absl::Span<const Digest> digests);
  // Everything is in the index now.
  void Finish();

 private:
  struct Item {
    TaskDigests* known = nullptr;
    LogHeader header;
    FrameChunk chunk;  // of a log, or
    std::vector<Digest> seen;
    uint32_t window = 0;  // of `seen`
  };
  // Digests of one task, by shard, before they are inserted many at a time.
  struct Pending {
    TaskDigests* known = nullptr;
    std::vector<std::vector<TaskDigests::Loaded>> shards{TaskDigests::kShards};
  };

  void Work(size_t worker, Item& item);
  void Put(Pending& pending, uint32_t window, const Digest& digest);
  void Flush(Pending& pending, size_t shard);
  void FlushAll(Pending& pending);

  DigestIndex& index_;
  std::vector<Pending> pending_;                    // one a thread
  std::array<Mutex, TaskDigests::kShards> shards_;  // one thread at a time fills a shard
  Mutex mutex_;
  std::map<TaskDigests*, int64_t> inserted_ ABSL_GUARDED_BY(mutex_);
  WorkLine<Item> line_;  // last: its threads use all of the above
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_DIGEST_LOADER_H_
