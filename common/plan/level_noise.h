// How noise is best divided among the levels of a tree over bins.
#ifndef TOMBOLA_COMMON_PLAN_LEVEL_NOISE_H_
#define TOMBOLA_COMMON_PLAN_LEVEL_NOISE_H_

#include <vector>

#include "common/plan/plan.h"
#include "common/ranges/range_tree.h"

namespace tombola::mechanism {

// Of every level of a tree, the bins first, the noise of its cells against the others': such that
// of all divisions of the same sum of inverse variances, which is what they cost together in the
// central limit, this has about the least variance of a range, averaged over all ranges, and on no
// level more noise in all than on the bins. None where
// there is one level, and where there are two or three over so many bins that this would take long.
// Tens of milliseconds. Pure.
std::vector<LevelNoise> DivideNoise(const RangeTree& tree);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_LEVEL_NOISE_H_
