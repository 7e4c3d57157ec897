#include "common/kind/histogram.h"

#include <utility>

#include "absl/status/status.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"

namespace tombola {

absl::StatusOr<std::shared_ptr<const Kind>> Histogram::Read(const v1::Task& task) {
  if (task.has_items() || task.has_levels() || task.has_numbers() || task.has_records()) {
    return absl::InvalidArgumentError(
        "task.items, levels, numbers and records must be absent for a histogram");
  }
  if (task.mechanism().has_rappor() && task.submissions_per_device() > 1) {
    return absl::InvalidArgumentError(
        "task.submissions_per_device must be 1 for rappor: further reports would say more of the "
        "same memo");
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      auto mechanism,
      mechanism::FromProto(task.mechanism(), static_cast<int64_t>(task.domain().size())));
  return std::make_shared<const Histogram>(std::move(mechanism));
}

Histogram::Histogram(std::shared_ptr<const mechanism::Mechanism> mechanism)
    : mechanism_(std::move(mechanism)), tables_({mechanism_}), scheme_(mechanism_) {}

}  // namespace tombola
