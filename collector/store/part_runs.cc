#include "collector/store/part_runs.h"

#include <algorithm>

namespace tombola::collector {
namespace {

// Whether `later` comes after `part` with a gap between them.
bool ApartAfter(uint64_t part, uint64_t later) { return later > part && later - part > 1; }

}  // namespace

void PartRuns::Add(uint64_t part) {
  // The first run that reaches up to the part before this one, or further: it takes the part in, or
  // the part stands alone before it.
  const auto run = std::lower_bound(
      runs_.begin(), runs_.end(), part,
      [](const PartRange& range, uint64_t wanted) { return ApartAfter(range.last, wanted); });
  if (run == runs_.end() || ApartAfter(part, run->first)) {
    runs_.insert(run, {part, part});
    return;
  }
  run->first = std::min(run->first, part);
  if (part <= run->last) return;
  run->last = part;
  const auto next = run + 1;
  if (next == runs_.end() || ApartAfter(part, next->first)) return;
  run->last = next->last;
  runs_.erase(next);
}

uint64_t PartRuns::Count() const {
  uint64_t count = 0;
  for (const PartRange& run : runs_) count += run.last - run.first + 1;
  return count;
}

std::vector<PartRange> PartRuns::MissingFrom(const PartRange& range) const {
  std::vector<PartRange> missing;
  if (range.first > range.last) return missing;
  uint64_t next = range.first;  // the first that is not yet known to be there or missing
  for (const PartRange& run : runs_) {
    if (run.last < next) continue;
    if (run.first > range.last) break;
    if (run.first > next) missing.push_back({next, run.first - 1});
    if (run.last >= range.last) return missing;
    next = run.last + 1;
  }
  missing.push_back({next, range.last});
  return missing;
}

}  // namespace tombola::collector
