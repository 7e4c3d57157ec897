// When the calls of an open loop are due.
#ifndef TOMBOLA_BENCH_LOAD_SCHEDULE_H_
#define TOMBOLA_BENCH_LOAD_SCHEDULE_H_

#include <cstdint>

#include "absl/time/time.h"

namespace tombola::bench {

// Call i is due i / rate after the start, whatever became of the calls before it. A latency counts
// from there: while a server stalls, the calls that ought to have been sent meanwhile wait as well,
// and leaving their wait out would flatter it (coordinated omission).
class Schedule {
 public:
  // `rate` is calls a second, above 0.
  Schedule(absl::Time start, double rate) : start_(start), rate_(rate) {}

  absl::Time Due(int64_t call) const {
    return start_ + absl::Seconds(static_cast<double>(call) / rate_);
  }

 private:
  absl::Time start_;
  double rate_;
};

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_LOAD_SCHEDULE_H_
