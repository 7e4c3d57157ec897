// The texts that were asked for last.
#ifndef TOMBOLA_COLLECTOR_HTTP_RECENT_TEXTS_H_
#define TOMBOLA_COLLECTOR_HTTP_RECENT_TEXTS_H_

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// Keeps so many, and forgets the one that was not asked for the longest. Thread-safe.
class RecentTexts {
 public:
  explicit RecentTexts(size_t most) : most_(most) {}

  // Null if it is not there.
  std::shared_ptr<const std::string> Find(const std::string& key);
  void Put(const std::string& key, std::shared_ptr<const std::string> text);

 private:
  using Entry = std::pair<std::string, std::shared_ptr<const std::string>>;

  const size_t most_;
  Mutex mutex_;
  std::list<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // the last one asked for first
  absl::flat_hash_map<std::string, std::list<Entry>::iterator> index_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_RECENT_TEXTS_H_
