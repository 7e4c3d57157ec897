#include "common/task/progress.h"

#include <limits>

#include "tombola/v1/collector.pb.h"

namespace tombola {

absl::StatusOr<Progress> Progress::Parse(absl::string_view bytes) {
  v1::Progress wire;
  if (!wire.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("progress must be a serialised tombola.v1.Progress");
  }
  const auto task = RequireId<TaskId>("progress.task_id", wire.task_id());
  if (!task.ok()) return task.status();
  if (wire.held_percent() > 100 || wire.held_percent() % 5 != 0) {
    return absl::InvalidArgumentError("progress.held_percent must be at most 100, in steps of 5");
  }
  if (wire.expired() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return absl::InvalidArgumentError("progress.expired must be below 2^63");
  }
  if (wire.time() <= 0) return absl::InvalidArgumentError("progress.time must be above 0");
  return Progress{.task = *task,
                  .held_percent = wire.held_percent(),
                  .expired = static_cast<int64_t>(wire.expired()),
                  .time = absl::FromUnixMillis(wire.time())};
}

std::string Progress::Serialise() const {
  v1::Progress wire;
  wire.set_task_id(std::string(AsView(task)));
  wire.set_held_percent(held_percent);
  wire.set_expired(static_cast<uint64_t>(expired));
  wire.set_time(absl::ToUnixMillis(time));
  return wire.SerializeAsString();
}

}  // namespace tombola
