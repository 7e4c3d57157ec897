// One of the collector's HPKE keys: its times, and the state that follows from them.
#ifndef TOMBOLA_COLLECTOR_CATALOG_KEY_RECORD_H_
#define TOMBOLA_COLLECTOR_CATALOG_KEY_RECORD_H_

#include <optional>

#include "absl/time/time.h"
#include "common/task/key_list.h"

namespace tombola::collector {

enum class KeyState {
  kPending,    // announced, not yet sealed to
  kActive,     // the one that devices seal to
  kRetired,    // no longer sealed to, still opens
  kDestroyed,  // the private key is gone; the id is never used again
};

// All times are whole seconds.
struct KeyRecord {
  HpkeKey key;                          // of a destroyed one the public key is not known any more
  std::optional<absl::Time> destroyed;  // when
};

inline KeyState StateAt(const KeyRecord& record, absl::Time now) {
  if (record.destroyed.has_value()) return KeyState::kDestroyed;
  if (now < record.key.not_before) return KeyState::kPending;
  return now < record.key.not_after ? KeyState::kActive : KeyState::kRetired;
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_RECORD_H_
