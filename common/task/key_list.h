// The collector's HPKE keys as a device and the shuffler check them.
#ifndef TOMBOLA_COMMON_TASK_KEY_LIST_H_
#define TOMBOLA_COMMON_TASK_KEY_LIST_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"

namespace tombola {

// Prefixes what the collector's long-term key signs here.
inline constexpr absl::string_view kKeyListContext = "tombola/v1/keys";

class Task;  // task.h

struct HpkeKey {
  KeyId id{};
  std::array<uint8_t, 32> public_key{};
  absl::Time not_before;
  absl::Time not_after;
  absl::Time closes = absl::InfiniteFuture();  // when its window closes, not before not_after
  // Of a node's key: the stream, and the node, >= 1. A general key is of no task and part 0.
  std::optional<TaskId> task = std::nullopt;
  uint64_t part = 0;

  // Whether reports in batches of this part are sealed to it, at whatever time: a node's key those
  // of that node of the stream and nothing else, a general key those of all tasks but streams.
  bool IsFor(const Task& of, uint64_t of_part) const;
};

// What is remembered of a list to know an older one, and another one that bears its serial.
struct KeyListVersion {
  uint64_t serial = 0;  // 0: none was seen
  crypto::Sha256Digest keys{};
};

// FailedPrecondition: a list that is older than the one seen before, or has its serial and other
// keys. A collector that has lost its keys and begun anew hands out such lists, and so does one
// that shows different lists to different devices.
absl::Status CheckSuccessor(const KeyListVersion& seen, const KeyListVersion& next);

// A key list whose signature has been verified. Immutable.
class KeyList {
 public:
  // InvalidArgument: not a list of valid keys, or two of them of one id, or valid at one moment and
  // both general or both for one node.
  // Unauthenticated: not signed by `collector_key`.
  static absl::StatusOr<KeyList> Verify(absl::string_view bytes, absl::string_view signature,
                                        const std::array<uint8_t, 32>& collector_key);

  uint64_t serial() const { return version_.serial; }
  // With SHA-256 over the keys in their order: of each its public key and, as 8 little-endian bytes
  // each, its three times in Unix seconds, 0 for one that does not close. Where any is a node's,
  // each is followed by its task id, of a general key 32 zero bytes, and its part in 8
  // little-endian bytes, and all of them by one byte 1.
  const KeyListVersion& version() const { return version_; }
  // When it was signed.
  absl::Time issued() const { return issued_; }
  const std::vector<HpkeKey>& keys() const { return keys_; }

  // The general key to seal to at this moment. FailedPrecondition: none is valid now.
  absl::StatusOr<HpkeKey> ActiveAt(absl::Time now) const;
  // The key to seal to for a node of a stream at this moment. FailedPrecondition: none is valid
  // now.
  absl::StatusOr<HpkeKey> NodeKeyAt(const TaskId& task, uint64_t node, absl::Time now) const;
  std::optional<HpkeKey> Find(const KeyId& id) const;

 private:
  KeyList() = default;

  KeyListVersion version_;
  absl::Time issued_;
  std::vector<HpkeKey> keys_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_KEY_LIST_H_
