// The levels to which the numbers of key-value pairs are rounded.
#ifndef TOMBOLA_COMMON_KIND_LEVELS_H_
#define TOMBOLA_COMMON_KIND_LEVELS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// Of a task that does not say how many.
inline constexpr uint32_t kUsualLevels = 3;
inline constexpr int64_t kMostLevels = 256;
// So that squares of numbers and of steps, and their sums, are neither infinite nor 0.
inline constexpr double kFarthestNumber = 1e100;
inline constexpr double kNarrowestRange = 1e-100;

// `count` levels in equal steps from `low` to `high`.
struct Levels {
  double low = 0;
  double high = 0;
  int64_t count = 0;

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<Levels> Read(const v1::Levels& wire);

  double step() const { return (high - low) / static_cast<double>(count - 1); }
  double At(int64_t level) const {
    return level == count - 1 ? high : low + step() * static_cast<double>(level);
  }

  // Where a number in [low, high] lies: at `below` and so much of a step above it, in [0, 1].
  struct Place {
    int64_t below = 0;
    double above = 0;
  };
  Place PlaceOf(double number) const;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_LEVELS_H_
