// How long the collector's HPKE keys live.
#ifndef TOMBOLA_COLLECTOR_CATALOG_KEY_TIMES_H_
#define TOMBOLA_COLLECTOR_CATALOG_KEY_TIMES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_record.h"
#include "common/task/task.h"

namespace tombola::collector {

// A list may have 4096 keys. So many rotations within a window are a mistake long before.
inline constexpr int64_t kMaxLiveKeys = 1000;
// Of nodes of streams, besides.
inline constexpr int64_t kMaxLiveNodeKeys = 3000;

// How long the stages of a key's life last. Whole seconds.
struct KeyTimes {
  absl::Duration lifetime = absl::Hours(24 * 365);  // as the active one, if not rotated before
  // A key is in the list this long before it takes over, so that devices have it by then.
  absl::Duration announce = absl::Hours(24 * 7);
  // After its life: devices may still send, and the shuffler hold, what was sealed to it. It should
  // exceed the retry windows of a task and the time in which a batch fills.
  absl::Duration window = absl::Hours(24 * 30);
  // After the window: batches that left the shuffler in time may still be on their way. Then the
  // private key is destroyed.
  absl::Duration delivery = absl::Hours(24 * 7);
};

// InvalidArgument names the time that is out of its bounds.
absl::Status CheckTimes(const KeyTimes& times);

// A node of a stream has one key. Devices seal to it from the opening of the node's first period to
// the closing of its last; the other times are the ring's, but at most 512 of the task's intervals,
// so that a stream of short periods does not fill the list. Seconds are whole: a life is rounded
// up.
struct NodeLife {
  uint64_t node = 0;
  absl::Time announced;  // when the list is to have it
  absl::Time opens;      // sealed to from here
  absl::Time ends;       // to here
  absl::Time closes;     // its window, in which the shuffler decides on the node
  absl::Time gone;       // when it is destroyed
};

// Of all nodes of a stream, in their order.
std::vector<NodeLife> NodeLives(const Task& stream, const KeyTimes& times);

// What the clock and the catalogue demand of the keys of nodes.
struct NodeKeysDue {
  std::vector<HpkeKey> to_make;  // what they are for and when; the one that opens first, first
  std::vector<KeyRecord> ended;  // changed: their task was closed, so nothing is sealed to them
  std::vector<KeyRecord> to_destroy;  // out of date, or of a closed task and never sealed to
};

// A node gets a key if it never had one that was sealed to, as long as it is open or to be
// announced, its task being open. `records` are all that there ever were.
NodeKeysDue DueNodeKeys(const std::vector<CatalogEntry>& tasks,
                        const std::vector<KeyRecord>& records, const KeyTimes& times,
                        absl::Time now);

// Destroyed keys of nodes are known so long after nothing can be sealed to them any more: then an
// answer to whoever asks for one follows from the node's times alone (IsGone).
inline constexpr absl::Duration kNodeKeysKnown = absl::Hours(24 * 90);
std::vector<KeyId> NodeKeysToForget(const std::vector<KeyRecord>& records, absl::Time now);

// Whether the key that a node had is destroyed by now, because its time is over.
bool IsGone(const Task& stream, uint64_t node, const KeyTimes& times, absl::Time now);

// FailedPrecondition: with this stream there would at some moment be more keys of nodes than
// kMaxLiveNodeKeys.
absl::Status CheckRoomForNodes(const Task& stream, const std::vector<CatalogEntry>& tasks,
                               const std::vector<KeyRecord>& records, const KeyTimes& times,
                               absl::Time now);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_TIMES_H_
