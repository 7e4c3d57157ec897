// Numbers that must never be told twice, after a collector has forgotten which it told.
#ifndef TOMBOLA_COLLECTOR_CATALOG_RESTORED_NUMBER_H_
#define TOMBOLA_COLLECTOR_CATALOG_RESTORED_NUMBER_H_

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace tombola::collector {

// A number that grows by one with every change was `copied` in a copy that is brought back at
// `restored`; changes after the copy are forgotten, and this is above all of them. A collector
// makes fewer than 2^20 changes a second, so that in s seconds after a restore it cannot come as
// far as the restore s seconds later begins; and below 2^20 times the seconds since 1970 it is
// without any restore. It needs a clock that is not set back by more than the time between two
// restores. Up to the year 2242 the number is below 2^53, which JSON can carry.
inline uint64_t AboveAllSinceACopy(uint64_t copied, absl::Time restored) {
  constexpr uint64_t kChangesASecond = uint64_t{1} << 20;
  const auto seconds = static_cast<uint64_t>(std::max<int64_t>(0, absl::ToUnixSeconds(restored)));
  return std::max(copied + kChangesASecond, seconds * kChangesASecond);
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_RESTORED_NUMBER_H_
