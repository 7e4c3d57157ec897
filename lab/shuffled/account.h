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

// Collision for sets of at most `items` with the number of buckets, of a geometric series, and the
// local epsilon that have the least variance of a rare thing.
absl::StatusOr<CollisionLaw> BestShuffledCollision(int64_t items, const Target& target);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SHUFFLED_ACCOUNT_H_
