#include "common/kind/levels.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace tombola {

absl::StatusOr<Levels> Levels::Read(const v1::Levels& wire) {
  const Levels read{.low = wire.low(), .high = wire.high(), .count = wire.count()};
  if (!(std::abs(read.low) <= kFarthestNumber && std::abs(read.high) <= kFarthestNumber &&
        read.high - read.low >= kNarrowestRange)) {
    return absl::InvalidArgumentError(
        absl::StrCat("task.levels.low and high are ", read.low, " and ", read.high,
                     "; they must be in [-1e100, 1e100], and low below high by 1e-100 or more"));
  }
  if (read.count < 2 || read.count > kMostLevels) {
    return absl::InvalidArgumentError(absl::StrCat("task.levels.count is ", read.count,
                                                   "; it must be in [2, ", kMostLevels, "]"));
  }
  return read;
}

Levels::Place Levels::PlaceOf(double number) const {
  const double steps = (number - low) / (high - low) * static_cast<double>(count - 1);
  const auto below = std::clamp<int64_t>(static_cast<int64_t>(std::floor(steps)), 0, count - 2);
  return {.below = below, .above = std::clamp(steps - static_cast<double>(below), 0.0, 1.0)};
}

}  // namespace tombola
