#include "common/config/nearest.h"

#include <algorithm>

namespace tombola::config {
namespace {

constexpr size_t kLongest = 64;

// Optimal string alignment: no letter is touched twice.
size_t Distance(absl::string_view from, absl::string_view to) {
  std::vector<size_t> before(to.size() + 1), last(to.size() + 1), now(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t changed = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, changed});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[to.size()];
}

}  // namespace

std::string Nearest(absl::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kLongest) return "";
  std::string nearest;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest) continue;
    const size_t distance = Distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace tombola::config
