// The two parts of Loader's saddle-point expansion, from which binomial, Poisson and negative
// binomial probabilities are put together without the cancellation of log-gamma functions (Loader,
// "Fast and accurate computation of binomial probabilities", 2000). Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_SADDLE_POINT_H_
#define TOMBOLA_COMMON_ACCOUNTING_SADDLE_POINT_H_

namespace tombola::accounting {

// ln Gamma(x + 1) - ln(sqrt(2 pi x) (x/e)^x), the error of Stirling's formula, to a few 1e-15
// absolute. x > 0; 0 at x = 0, which no caller divides by.
double StirlingError(double x);

// x ln(x / mean) + mean - x with mean = trials * share, the deviance part bd0. The rounding of that
// product is carried along: far out it would cost (x - mean) units. x > 0, mean > 0.
double Deviance(double x, double trials, double share);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_SADDLE_POINT_H_
