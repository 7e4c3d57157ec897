// The collector's HPKE keys as a device and the shuffler check them.
#ifndef TOMBOLA_COMMON_TASK_KEY_LIST_H_
#define TOMBOLA_COMMON_TASK_KEY_LIST_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/ids.h"

namespace tombola {

// Prefixes what the collector's long-term key signs here.
inline constexpr absl::string_view kKeyListContext = "tombola/v1/keys";

struct HpkeKey {
  KeyId id{};
  std::array<uint8_t, 32> public_key{};
  absl::Time not_before;
  absl::Time not_after;
  absl::Time closes = absl::InfiniteFuture();  // when its window closes, not before not_after
};

// A key list whose signature has been verified. Immutable.
class KeyList {
 public:
  // InvalidArgument: not a list of valid keys, or two of them of one id or valid at one moment.
  // Unauthenticated: not signed by `collector_key`.
  static absl::StatusOr<KeyList> Verify(absl::string_view bytes, absl::string_view signature,
                                        const std::array<uint8_t, 32>& collector_key);

  uint64_t serial() const { return serial_; }
  const std::vector<HpkeKey>& keys() const { return keys_; }

  // The key to seal to at this moment. FailedPrecondition: none is valid now.
  absl::StatusOr<HpkeKey> ActiveAt(absl::Time now) const;
  std::optional<HpkeKey> Find(const KeyId& id) const;

 private:
  KeyList() = default;

  uint64_t serial_ = 0;
  std::vector<HpkeKey> keys_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_KEY_LIST_H_
