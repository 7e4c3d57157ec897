// How long calls took.
#ifndef TOMBOLA_BENCH_LOAD_LATENCIES_H_
#define TOMBOLA_BENCH_LOAD_LATENCIES_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace tombola::bench {

// Keeps every one, eight bytes each, so that quantiles are exact. Not thread-safe: one a thread,
// merged at the end.
class Latencies {
 public:
  void Add(absl::Duration latency) { nanoseconds_.push_back(absl::ToInt64Nanoseconds(latency)); }
  void Merge(const Latencies& other);

  int64_t size() const { return static_cast<int64_t>(nanoseconds_.size()); }
  // The smallest latency that at least a share q of the calls, 0 < q <= 1, did not exceed; zero
  // without calls.
  absl::Duration Quantile(double q) const;

 private:
  std::vector<int64_t> nanoseconds_;
};

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_LOAD_LATENCIES_H_
