#include "shuffler/forward/pauses.h"

#include <algorithm>

namespace tombola::shuffler {

bool Pauses::Due(const BatchId& batch, absl::Time now) const {
  const auto it = pauses_.find(batch);
  if (it == pauses_.end()) return true;
  // A clock that was set back must not make a pause longer than it is.
  return now >= it->second.until || it->second.until - now > it->second.length;
}

void Pauses::Failed(const BatchId& batch, absl::Time now) {
  const auto [it, first] = pauses_.try_emplace(batch, Pause{kFirst, now + kFirst});
  if (first) return;
  it->second.length = std::min(2 * it->second.length, kLongest);
  it->second.until = now + it->second.length;
}

}  // namespace tombola::shuffler
