// The aggregating stage for the measurements of growth.
#ifndef TOMBOLA_BENCH_GROWTH_AGGREGATE_H_
#define TOMBOLA_BENCH_GROWTH_AGGREGATE_H_

#include <cstdint>

namespace tombola::bench {

// Counts n reports of grr and n of local hashing with the plane, on one core. They are drawn a
// block at a time from a cheap generator, so that memory does not depend on n.
void GrowthAggregate(int64_t n);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_GROWTH_AGGREGATE_H_
