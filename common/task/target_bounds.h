// Which targets a task may have.
#ifndef TOMBOLA_COMMON_TASK_TARGET_BOUNDS_H_
#define TOMBOLA_COMMON_TASK_TARGET_BOUNDS_H_

namespace tombola {

// A smaller epsilon or delta says less than the noise of any batch; a larger epsilon hides nothing,
// and with a larger delta neither does any. The accountants of every party search for what such
// targets take, and nearer to their ends that is long.
inline constexpr double kLeastTargetEpsilon = 1e-6;
inline constexpr double kMostTargetEpsilon = 100;
inline constexpr char kTargetEpsilonBound[] = "between 1e-6 and 100";
inline constexpr double kLeastTargetDelta = 1e-30;
inline constexpr double kMostTargetDelta = 0.5;
inline constexpr char kTargetDeltaBound[] = "between 1e-30 and 0.5";

// Written so that NaN is refused too.
inline bool IsTargetEpsilon(double epsilon) {
  return epsilon >= kLeastTargetEpsilon && epsilon <= kMostTargetEpsilon;
}
inline bool IsTargetDelta(double delta) {
  return delta >= kLeastTargetDelta && delta <= kMostTargetDelta;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_TARGET_BOUNDS_H_
