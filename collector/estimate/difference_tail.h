// How far the difference of two negative binomial variables may be from zero: what correlated noise
// leaves in an estimate.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_DIFFERENCE_TAIL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_DIFFERENCE_TAIL_H_

namespace tombola::collector {

// X = N1 - N2, independent, each with
// Pr[N = k] = Gamma(k + shape) / (k! Gamma(shape)) success^k (1 - success)^shape.
// With a = -ln(success), E[e^(t X)] = (1 - sinh^2(t/2) / sinh^2(a/2))^-shape for |t| < a.
struct Difference {
  double shape = 0;    // > 0
  double success = 0;  // in (0, 1)
};

// Pr[X >= x] <= e^-log_tail at the x returned, for log_tail > 0: the moment generating function's
// bound (Chernoff) at the best t. Not an approximation.
double ChernoffBound(const Difference& difference, double log_tail);

// An x with Pr[X > x + 1/2] <= tail in [1e-300, 1/2), nearer than Chernoff's bound where the law is
// near to Laplace's or the tail is large. Errs on the wide side; for success >= 0.9 by 14 % at most
// for tails from 0.025 up and by 28 % for less, next to nothing for shape 1 and tails of 0.025 or
// less:
//  - For shape 1, X is discrete Laplace: Pr[X >= k] = e^(-a (k - 1/2)) / (2 cosh(a/2)) for k >= 1,
//    so that Pr[X > x + 1/2] <= e^(-a x) / 2, and x = ln(1/(2 tail)) / a will do.
//  - For a larger shape, sqrt(shape) times that. The logarithm of the moment generating function of
//    X / sqrt(shape) at u is shape K(u / sqrt(shape)), K being that of shape 1, an even power
//    series with positive coefficients: as the shape grows the term of u^2 stays and every other
//    falls. Tails lie between Laplace's and those of the normal law of the same variance; where
//    they are heavier than Laplace's, near the middle, the normal quantile is the larger one and is
//    taken. That this errs on the wide side is checked against the exact law, not proven.
//  - Chernoff's bound where it is less than that of the second point, and always for a shape below
//    1, where tails are heavier than Laplace's.
// Laplace's quantile in standard deviations, ln(1/(2 tail)) / sqrt(2), would not do: X is whole,
// which makes it too small by a factor a / (2 sinh(a/2)).
double UpperQuantile(const Difference& difference, double tail);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_DIFFERENCE_TAIL_H_
