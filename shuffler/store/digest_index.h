// What was taken before, in memory: the digests of a task's submission ids and sealed reports, by
// the window that they belong to.
#ifndef TOMBOLA_SHUFFLER_STORE_DIGEST_INDEX_H_
#define TOMBOLA_SHUFFLER_STORE_DIGEST_INDEX_H_

#include <cstdint>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "common/base/ids.h"
#include "shuffler/store/digest.h"

namespace tombola::shuffler {

// Not thread-safe.
class TaskDigests {
 public:
  // False, and no change, if the digest is known in any window.
  bool Insert(uint32_t window, const Digest& digest);
  void Remove(uint32_t window, const Digest& digest);
  // Drops all windows before this one, for good: oldest() never falls.
  void ForgetBefore(uint32_t window);

  // Windows before this one are forgotten: what names one cannot be recognised any more.
  uint32_t oldest() const { return oldest_; }

  // How many are remembered, in all windows.
  int64_t size() const { return size_; }

 private:
  // One set a window, so that a window is dropped at once. Few are alive at a time.
  std::map<uint32_t, absl::flat_hash_set<Digest>> windows_;
  uint32_t oldest_ = 0;
  int64_t size_ = 0;
};

using DigestIndex = std::map<TaskId, TaskDigests>;

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_DIGEST_INDEX_H_
