// How likely a report supports a value, and the error of the estimates that follow from it. One
// formula, one function: planner, estimator and tests share these.
#ifndef TOMBOLA_COMMON_TABLE_SUPPORT_H_
#define TOMBOLA_COMMON_TABLE_SUPPORT_H_

#include <cstdint>

namespace tombola::mechanism {

// A report supports value v if it names v, or if v hashes to the report's bucket under the report's
// function.
struct Support {
  double holder = 0;      // p: probability that the report of a device that holds v supports v
  double other = 0;       // s: the same for a device that holds another value
  double separation = 0;  // p - s, computed without cancellation
};

// `range` buckets, of which a device sends its own with probability `truthful` = 1 - gamma and else
// a uniform one (Eq. (7)): p = 1 - gamma + gamma / g. Another value collides with probability c:
// s = (1 - gamma) c + gamma / g (see docs/errata.md).
//
// A universal family, c = 1 / g.
Support UniversalSupport(double range, double truthful);
// The affine plane of order q = range, c = 1 / (q + 1).
Support PlaneSupport(double range, double truthful);
// Randomised response over a domain of `range` values, c = 0.
Support ResponseSupport(double range, double truthful);

// The variance of the estimate (C / n - s) / (p - s) of a frequency f from n reports:
// [(1 - f) s (1 - s) + f p (1 - p)] / (n (p - s)^2), exact given the data. It replaces Theorem 3,
// see docs/errata.md.
double EstimateVariance(const Support& support, double frequency, int64_t reports);

// The same averaged over a domain of d values whose frequencies sum to one:
// [(d - 1) s (1 - s) + p (1 - p)] / (d n (p - s)^2).
double AverageSquaredError(const Support& support, int64_t domain_size, int64_t reports);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_SUPPORT_H_
