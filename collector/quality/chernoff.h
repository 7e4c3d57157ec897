// How improbable a number is, bounded by moment generating functions: never an approximation.
#ifndef TOMBOLA_COLLECTOR_QUALITY_CHERNOFF_H_
#define TOMBOLA_COLLECTOR_QUALITY_CHERNOFF_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "common/scheme/message_law.h"

namespace tombola::collector {

// A surprise is -ln of an upper bound of a probability, at least 0: what chance gives with
// probability 1e-6 at most has a surprise of 13.8 or more.

// Of a sum X of `trials` independent indicators whose mean is at most (Above) or at least (Below)
// `mean`: of X >= x, and of X <= x. They need not be alike (Hoeffding 1963, Theorem 1):
// trials KL(x / trials || mean / trials). 0 <= mean <= trials, 0 <= x <= trials, trials > 0.
double IndicatorsAbove(double trials, double mean, double x);
double IndicatorsBelow(double trials, double mean, double x);

// Of a sum that is `excess` > 0 beyond its mean, to one side, where its parts are independent, have
// this variance together, and no part is more than `most` beyond its own mean to that side; Poisson
// variables count as sums of rare indicators (Bernstein): excess^2 / (2 (variance + most excess /
// 3)).
double Bernstein(double variance, double most, double excess);

// Of X >= x for largest > 0, of X <= x for largest < 0: the largest value of t x - log_mgf(t) with
// t strictly between 0 and `largest`, where log_mgf(t) >= ln E[e^(t X)] is convex. Found by search;
// whatever it finds is a bound.
double Chernoff(absl::FunctionRef<double(double)> log_mgf, double x, double largest);

// Of so many messages of noise, beside the submissions' own, from so many honest devices: of as
// many or more, and of as few or fewer.
double NoiseAbove(const mechanism::MessageLaw& law, int64_t submissions, int64_t noise);
double NoiseBelow(const mechanism::MessageLaw& law, int64_t submissions, int64_t noise);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUALITY_CHERNOFF_H_
