// What HPKE open costs on this machine.
#ifndef TOMBOLA_BENCH_LOAD_OPEN_RATE_H_
#define TOMBOLA_BENCH_LOAD_OPEN_RATE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::bench {

// Reports a second that `threads` threads open, of `sealed_bytes` each: `count` in all, drawn from
// a smaller number that are sealed before the clock starts.
absl::StatusOr<double> OpenRate(size_t sealed_bytes, int64_t count, int threads);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_LOAD_OPEN_RATE_H_
