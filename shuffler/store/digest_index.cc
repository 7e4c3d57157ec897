#include "shuffler/store/digest_index.h"

#include <algorithm>

namespace tombola::shuffler {

bool TaskDigests::Insert(uint32_t window, const Digest& digest) {
  for (const auto& [other, digests] : windows_) {
    if (other != window && digests.contains(digest)) return false;
  }
  const bool fresh = windows_[window].insert(digest).second;
  size_ += fresh;
  return fresh;
}

void TaskDigests::Remove(uint32_t window, const Digest& digest) {
  const auto it = windows_.find(window);
  if (it != windows_.end()) size_ -= static_cast<int64_t>(it->second.erase(digest));
}

void TaskDigests::ForgetBefore(uint32_t window) {
  const auto kept = windows_.lower_bound(window);
  for (auto it = windows_.begin(); it != kept; ++it) {
    size_ -= static_cast<int64_t>(it->second.size());
  }
  windows_.erase(windows_.begin(), kept);
  oldest_ = std::max(oldest_, window);
}

}  // namespace tombola::shuffler
