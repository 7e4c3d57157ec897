// Where a costly monotone function crosses zero on a grid of integers.
#ifndef TOMBOLA_COMMON_ACCOUNTING_CROSSING_H_
#define TOMBOLA_COMMON_ACCOUNTING_CROSSING_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"

namespace tombola::accounting {

// A function of a grid index: a point is good where it is <= 0. May be -infinity.
using GridFunction = absl::FunctionRef<double(int64_t)>;

// Where to look. Good points are expected at one end, `good_end`, and bad ones at the other,
// `bad_end`; which of the two is larger does not matter.
struct GridRange {
  int64_t good_end = 0;
  int64_t bad_end = 0;
  int64_t start = 0;  // a guess of the crossing, within the ends
  int64_t step = 1;   // how far the guess may be off; >= 1
};

// The good point whose neighbour towards `bad_end` is bad (`bad_end` itself if that is good): the
// optimum if the function is monotone, and in any case a point at which the function was evaluated
// and was <= 0. Nothing if the search ended at `good_end` and that is bad too. Needs about ten
// evaluations if the function is smooth, and 3 log2(range) at worst.
std::optional<int64_t> FindCrossing(GridFunction function, const GridRange& range);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_CROSSING_H_
