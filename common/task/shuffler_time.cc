#include "common/task/shuffler_time.h"

#include "common/base/ids.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

absl::StatusOr<ShufflerTime> ShufflerTime::Parse(absl::string_view bytes) {
  v1::ShufflerTime wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("time must be a serialised tombola.v1.ShufflerTime");
  }
  const auto key = RequireId<std::array<uint8_t, 32>>("time.shuffler_key", wire.shuffler_key());
  if (!key.ok()) return key.status();
  if (wire.time() <= 0) return absl::InvalidArgumentError("time.time must be above 0");
  return ShufflerTime{.shuffler_key = *key, .time = absl::FromUnixMillis(wire.time())};
}

std::string ShufflerTime::Serialise() const {
  v1::ShufflerTime wire;
  wire.set_shuffler_key(std::string(AsView(shuffler_key)));
  wire.set_time(absl::ToUnixMillis(time));
  return wire.SerializeAsString();
}

}  // namespace tombola
