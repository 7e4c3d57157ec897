// What a shuffler does for the published methods, whose reports were made to do without one.
#ifndef TOMBOLA_LAB_SHUFFLED_ACCOUNT_H_
#define TOMBOLA_LAB_SHUFFLED_ACCOUNT_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "lab/key_value/collision.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

// What a shuffled batch has to meet.
struct Target {
  int64_t honest = 0;
  double epsilon = 0;
  double delta = 0;
  // The largest local epsilon, to 0.1 %, with which every randomiser meets it (clones).
  double any_randomiser = 0;

  // InvalidArgument for what is out of range.
  static absl::StatusOr<Target> Create(int64_t honest, double epsilon, double delta);
};

// The largest budget, to 0.1 %, with which a method meets the target; `law_at` gives its law for a
// budget as its paper counts it. A point at which an accountant was evaluated. At most
// kLargestNominal.
inline constexpr double kLargestNominal = 40;
absl::StatusOr<double> LargestNominal(const std::function<LocalLaw(double)>& law_at,
                                      const Target& target);

// The number of buckets for each thing of a set, of a geometric series, with which Collision has
// the least variance of a rare thing at the target, if sets are large.
absl::StatusOr<double> BestCollisionRange(const Target& target);
// Collision for sets of at most `items` with so many buckets for each, rounded up, and the largest
// local epsilon that meets the target. range >= 2.
absl::StatusOr<CollisionLaw> ShuffledCollision(int64_t items, double range, const Target& target);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SHUFFLED_ACCOUNT_H_
