#include "shuffler/store/digest_index.h"

#include <algorithm>

namespace tombola::shuffler {

bool TaskDigests::Insert(uint32_t window, const Digest& digest) {
  for (const auto& [other, digests] : windows_) {
    if (other != window && digests.contains(digest)) return false;
  }
  return windows_[window].insert(digest).second;
}

void TaskDigests::Remove(uint32_t window, const Digest& digest) {
  const auto it = windows_.find(window);
  if (it != windows_.end()) it->second.erase(digest);
}

void TaskDigests::ForgetBefore(uint32_t window) {
  windows_.erase(windows_.begin(), windows_.lower_bound(window));
  oldest_ = std::max(oldest_, window);
}

}  // namespace tombola::shuffler
