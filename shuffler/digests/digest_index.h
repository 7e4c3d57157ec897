// What was taken before, in memory: the digests of a task's submission ids and sealed reports, by
// the window that they belong to.
#ifndef TOMBOLA_SHUFFLER_DIGESTS_DIGEST_INDEX_H_
#define TOMBOLA_SHUFFLER_DIGESTS_DIGEST_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "common/base/ids.h"
#include "shuffler/digests/digest.h"

namespace tombola::shuffler {

// A digest takes 17 bytes of a table that is between 7/16 and 7/8 full: 19.4 to 38.9 bytes. There
// are 256 tables a window, by the first byte of the digest, and they grow one at a time: what a
// table takes twice while it grows is a 256th of all.
//
// Not thread-safe, but for Fill.
class TaskDigests {
 public:
  static constexpr size_t kShards = 256;
  static size_t ShardOf(const Digest& digest) { return digest.bytes[0]; }

  // False, and no change, if the digest is known in any window.
  bool Insert(uint32_t window, const Digest& digest);
  void Remove(uint32_t window, const Digest& digest);
  // Drops all windows before this one, for good: oldest() never falls.
  void ForgetBefore(uint32_t window);

  // Windows before this one are forgotten: what names one cannot be recognised any more.
  uint32_t oldest() const { return oldest_; }

  // How many are remembered, in all windows.
  int64_t size() const { return size_; }

  // --- for loading much on several threads: Prepare, then Fill, then Filled ---
  struct Loaded {
    Digest digest;
    uint32_t window = 0;
  };
  void Prepare();
  // Inserts digests of one shard, but for those of forgotten windows; how many were not known.
  // Different shards may be filled at once.
  int64_t Fill(size_t shard, absl::Span<const Loaded> loaded);
  void Filled(int64_t inserted) { size_ += inserted; }

 private:
  // One set a window, so that a window is dropped at once. Few are alive at a time.
  using Shard = std::map<uint32_t, absl::flat_hash_set<Digest>>;
  static bool InsertInto(Shard& shard, uint32_t window, const Digest& digest);

  std::unique_ptr<Shard[]> shards_;  // kShards of them, or none yet
  uint32_t oldest_ = 0;
  int64_t size_ = 0;
};

using DigestIndex = std::map<TaskId, TaskDigests>;

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DIGESTS_DIGEST_INDEX_H_
