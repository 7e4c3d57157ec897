#include "common/task/stream_life.h"

#include <algorithm>
#include <cmath>

#include "common/kind/stream.h"
#include "common/kind/stream_device.h"

namespace tombola {

using accounting::EpsilonDelta;

EpsilonDelta OverStream(const Task& task, int64_t submissions, const EpsilonDelta& one) {
  if (!std::isfinite(one.epsilon) || one.delta >= 1) return {.epsilon = one.epsilon, .delta = 1};
  const auto periods = std::min(submissions, static_cast<int64_t>(task.periods()->count()));
  return OverDevicePeriods(static_cast<const StreamKind&>(task.kind()), periods, one);
}

}  // namespace tombola
