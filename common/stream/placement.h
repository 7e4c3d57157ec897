// Where in a stream a device does most: what its periods add up to over the nodes that cover them.
#ifndef TOMBOLA_COMMON_STREAM_PLACEMENT_H_
#define TOMBOLA_COMMON_STREAM_PLACEMENT_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "common/stream/structure.h"

namespace tombola::stream {

// The largest sum of value(node, c) over all ways to choose at most `chosen` >= 1 periods, where c
// is how many of them the node covers; nodes that cover none add nothing. `value` is asked for
// 1 <= c <= chosen, and c no larger than the node is long. The structure is nested (IsNested).
// Exact, but for rounding; O(periods chosen), and each value is asked for once.
double LargestPlacement(const Structure& structure, int64_t chosen,
                        absl::FunctionRef<double(int64_t node, int64_t c)> value);

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_PLACEMENT_H_
