// The inner loop of the plane's decoding, compiled for several instruction sets.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_PLANE_KERNEL_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_PLANE_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tombola::collector {

// The domain as points of the plane: value v is in row v div side, column v mod side.
struct PlaneShape {
  uint32_t order = 0;  // q, a prime below 2^31; side <= order
  uint32_t side = 0;   // the length of a row
  uint32_t rows = 0;   // all full, except perhaps the last
};

// Lines of the plane that are not vertical, waiting to be counted. Line i meets row r in column
// buckets[i] - r slopes[i] modulo the order.
struct PlaneLines {
  static constexpr size_t kMost = 256;
  uint32_t slopes[kMost];   // below the order
  uint32_t buckets[kMost];  // below the order
  size_t size = 0;
};

// Adds one to the count of each value on each of the lines, with the widest vectors that the
// processor has; the outcome is the same with any. There are as many counts as values: more than
// (rows - 1) side, at most rows side. Thread-safe.
void CountPoints(const PlaneShape& shape, const PlaneLines& lines, absl::Span<int64_t> counts);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_PLANE_KERNEL_H_
