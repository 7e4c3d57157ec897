// How far an estimated frequency may be from the true one.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_

#include <cstdint>

#include "common/mechanism/support.h"

namespace tombola::collector {

// Half the width of an interval, centred on the raw estimate, that misses the true frequency with
// probability about `alpha` in (0, 1): the score interval, which allows for a variance A + B f that
// changes with the frequency, taken on its wider side; with the Cornish-Fisher term for skewness
// and half a count for continuity. An approximation that errs on the wide side, the more so where
// few reports support the value.
// reports >= 1; the support's separation > 0.
double IntervalHalfWidth(const mechanism::Support& support, int64_t reports, double raw,
                         double alpha);

// With probability at least 1 - beta no estimate of the domain is further than this from the truth:
// sqrt(2 V L) + 2 L / (3 n (p - s)) with L = ln(2 d / beta) and V the largest variance of any
// frequency (Bernstein's inequality and a union bound). It replaces Theorem 5, see docs/errata.md.
double BernsteinMaxError(const mechanism::Support& support, int64_t reports, int64_t domain_size,
                         double beta);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_
