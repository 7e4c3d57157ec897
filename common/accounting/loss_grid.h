// Laws of the privacy loss on a grid of equal steps, and their moment generating functions.
#ifndef TOMBOLA_COMMON_ACCOUNTING_LOSS_GRID_H_
#define TOMBOLA_COMMON_ACCOUNTING_LOSS_GRID_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/accounting/loss_law.h"

namespace tombola::accounting {

// A loss law whose atoms are at whole multiples of a step. Immutable by convention.
struct GridLaw {
  int64_t first = 0;         // mass[i] is at (first + i) steps
  std::vector<double> mass;  // may be empty
  double infinite = 0;
  int64_t uses = 1;

  int64_t last() const { return first + static_cast<int64_t>(mass.size()) - 1; }
};

// A law that dominates `part.law`: each atom's masses, under both distributions, on the two points
// beside it. The grid has at most 2^23 points: losses above them count as infinite, those below
// are raised to the lowest.
GridLaw OnGrid(const LossPart& part, double step);

// The sum of independent losses, each as often as it is used, under the tilted law e^(t loss).
struct Cumulant {
  double log_mgf = 0;  // ln E[e^(t sum); sum finite]
  double mean = 0;
  double variance = 0;
};

class LossSum {
 public:
  LossSum(absl::Span<const LossPart> parts, double step);

  double step() const { return step_; }
  const std::vector<GridLaw>& laws() const { return laws_; }
  int64_t uses() const { return uses_; }
  // The largest finite loss, in steps.
  int64_t most() const { return most_; }
  // At least the probability that the sum is infinite.
  double infinite() const { return infinite_; }
  // Whether some law has no finite loss at all.
  bool nothing_finite() const { return nothing_finite_; }

  Cumulant At(double t) const;
  // ln E[e^(t loss); loss finite] of one use of a law.
  static double LogMgf(const GridLaw& law, double step, double t);
  // About the t >= 0 with the least ln E[e^(t sum)] - t x, which bounds ln Pr[sum >= x].
  double Tilt(double x) const;

 private:
  double step_;
  std::vector<GridLaw> laws_;
  int64_t uses_ = 0;
  int64_t most_ = 0;
  double infinite_ = 0;
  bool nothing_finite_ = false;
};

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_LOSS_GRID_H_
