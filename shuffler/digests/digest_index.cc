#include "shuffler/digests/digest_index.h"

#include <algorithm>

namespace tombola::shuffler {
namespace {

// By then the place of a digest in its table is in the cache.
constexpr size_t kAhead = 8;

}  // namespace

void TaskDigests::Prepare() {
  if (shards_ == nullptr) shards_ = std::make_unique<Shard[]>(kShards);
}

bool TaskDigests::InsertInto(Shard& shard, uint32_t window, const Digest& digest) {
  for (const auto& [other, digests] : shard) {
    if (other != window && digests.contains(digest)) return false;
  }
  return shard[window].insert(digest).second;
}

bool TaskDigests::Insert(uint32_t window, const Digest& digest) {
  Prepare();
  const bool fresh = InsertInto(shards_[ShardOf(digest)], window, digest);
  size_ += fresh;
  return fresh;
}

int64_t TaskDigests::Fill(size_t shard, absl::Span<const Loaded> loaded) {
  Shard& sets = shards_[shard];
  int64_t inserted = 0;
  for (size_t i = 0; i < loaded.size(); ++i) {
    if (i + kAhead < loaded.size()) {
      for (const auto& [window, digests] : sets) digests.prefetch(loaded[i + kAhead].digest);
    }
    if (loaded[i].window < oldest_) continue;
    inserted += InsertInto(sets, loaded[i].window, loaded[i].digest);
  }
  return inserted;
}

void TaskDigests::Remove(uint32_t window, const Digest& digest) {
  if (shards_ == nullptr) return;
  Shard& shard = shards_[ShardOf(digest)];
  const auto it = shard.find(window);
  if (it != shard.end()) size_ -= static_cast<int64_t>(it->second.erase(digest));
}

void TaskDigests::ForgetBefore(uint32_t window) {
  for (size_t i = 0; shards_ != nullptr && i < kShards; ++i) {
    Shard& shard = shards_[i];
    const auto kept = shard.lower_bound(window);
    for (auto it = shard.begin(); it != kept; ++it) {
      size_ -= static_cast<int64_t>(it->second.size());
    }
    shard.erase(shard.begin(), kept);
  }
  oldest_ = std::max(oldest_, window);
}

}  // namespace tombola::shuffler
