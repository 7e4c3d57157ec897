#include "collector/http/recent_texts.h"

namespace tombola::collector {

std::shared_ptr<const std::string> RecentTexts::Find(const std::string& key) {
  MutexLock lock(mutex_);
  const auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return it->second->second;
}

void RecentTexts::Put(const std::string& key, std::shared_ptr<const std::string> text) {
  MutexLock lock(mutex_);
  const auto it = index_.find(key);
  if (it != index_.end()) {
    it->second->second = std::move(text);
    entries_.splice(entries_.begin(), entries_, it->second);
    return;
  }
  entries_.emplace_front(key, std::move(text));
  index_[key] = entries_.begin();
  if (entries_.size() <= most_) return;
  index_.erase(entries_.back().first);
  entries_.pop_back();
}

}  // namespace tombola::collector
