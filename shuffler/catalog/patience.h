// How long the shuffler waits for a catalogue.
#ifndef TOMBOLA_SHUFFLER_CATALOG_PATIENCE_H_
#define TOMBOLA_SHUFFLER_CATALOG_PATIENCE_H_

#include <algorithm>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tombola::shuffler {

inline constexpr absl::Duration kFirstPatience = absl::Seconds(10);
inline constexpr absl::Duration kMostPatience = absl::Minutes(10);

// For the next look, after one with this patience failed. Twice as long if the time was too short:
// a catalogue of 256 MiB on a slow line would else never come. It does not fall again, for the next
// change is as large.
inline absl::Duration PatienceAfter(const absl::Status& failure, absl::Duration patience) {
  return absl::IsDeadlineExceeded(failure) ? std::min(2 * patience, kMostPatience) : patience;
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_PATIENCE_H_
