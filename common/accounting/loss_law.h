// The law of the privacy loss of a pair of neighbouring distributions.
//
// For distributions P and Q of what an observer sees the loss of an outcome is ln dP/dQ, and its
// law under P says all there is: delta(epsilon) = infinite + E_P[(1 - e^(epsilon - loss))_+].
// Losses of independent parts add up, also where what is asked next depends on what was seen. A law
// dominates a pair if its delta is at least the pair's at every epsilon, negative ones included;
// then so do products (Zhu, Dong, Wang, "Optimal accounting of differential privacy via
// characteristic function", 2022). Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_LOSS_LAW_H_
#define TOMBOLA_COMMON_ACCOUNTING_LOSS_LAW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/accounting/noise_law.h"

namespace tombola::accounting {

struct LossAtom {
  double loss = 0;
  double mass = 0;  // under P; that under Q is e^-loss as much
};

// Atoms in any order; with `infinite` they have a mass of 1. Immutable by convention.
struct LossLaw {
  std::vector<LossAtom> atoms;
  // The mass under P of what cannot occur under Q.
  double infinite = 0;
  // Above 0 where most of the mass is at whole multiples of it: a grid's step should divide it, and
  // be fine enough for the rest.
  double unit = 0;
  // The variance by which a grid's step is chosen: that of the loss, or 0 if all is in units.
  double spread = 0;
};

// A law that is used so many times, each in a batch or a cell of its own.
struct LossPart {
  LossLaw law;
  int64_t uses = 1;
};

// Noise X ~ `law` on a cell that has `units` >= 1 more under P (gained), or under Q (lost): a
// device's record puts them there, or the record that it is compared with does. Exact but for the
// law's window, what is outside of which counts as infinite. `units` must be less than the window
// is wide; else everything is infinite.
LossLaw Gained(const NoiseLaw& law, int64_t units = 1);
LossLaw Lost(const NoiseLaw& law, int64_t units = 1);

// The same for the pair of numbers of +1 and -1 of a cell with correlated noise (correlated.h);
// `lesser` is LesserCount of it.
LossLaw GainedCorrelated(const NoiseLaw& lesser, double noise_epsilon, int64_t units = 1);
LossLaw LostCorrelated(const NoiseLaw& lesser, double noise_epsilon, int64_t units = 1);

// What a record of up to `cells` >= 1 distinct cells changes, each with noise of its own law: the
// product of so many that are gained and so many that are lost, exactly (docs/privacy.md, "Several
// cells of a device"). The same list read backwards, so one direction says both.
//
// With `units` > 1 a record puts `cells` * `units` units on cells in any way, at most `units` of
// them on one: the worst is that they all lie on `cells` of them, if the law is log-concave, as
// every NoiseLaw is. Correlated noise has no such theorem.
std::vector<LossPart> SeveralCells(const NoiseLaw& law, int64_t cells, int64_t units = 1);
std::vector<LossPart> SeveralCorrelatedCells(const NoiseLaw& lesser, double noise_epsilon,
                                             int64_t cells);

// A point of a curve of guarantees: delta holds at epsilon for both orders of every two neighbours.
struct CurvePoint {
  double epsilon = 0;
  double delta = 0;
};

// A law that dominates every pair of which the points hold: the greatest convex curve below the
// polygon through them, which the true curve is below since it is convex. `points`: at least one,
// epsilon growing from at least 0; what they say for epsilon they say for -epsilon by symmetry.
// Curves of one order only, mirrored, would be unsound.
LossLaw FromCurve(absl::Span<const CurvePoint> points);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_LOSS_LAW_H_
