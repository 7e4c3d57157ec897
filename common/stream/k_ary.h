// The k-ary tree with subtraction: running totals from blocks of k^j periods of which some are
// taken away again (Andersson, Pagh, Steiner and Torkamani, "Count on your elders: Laplace vs
// Gaussian noise", 2024). Pure functions, thread-safe.
//
// With the digits d_j of t in base k, k odd, each from -(k-1)/2 to (k-1)/2, total(t) is for every
// level j the |d_j| blocks of k^j periods that lie between t rounded to a multiple of k^(j+1) and t
// rounded to a multiple of k^j, added where t is behind and subtracted where it is before. A block
// that is subtracted ends after t: its noise is there before its counts are. So this is for streams
// of which nobody chooses an increment by what was released before.
#ifndef TOMBOLA_COMMON_STREAM_K_ARY_H_
#define TOMBOLA_COMMON_STREAM_K_ARY_H_

#include <cstdint>
#include <vector>

namespace tombola::stream {

struct KAry {
  int64_t k = 0;  // odd, at least 3
  int h = 0;      // levels 0..h-1; (k^h - 1) / 2 is the last period

  bool operator==(const KAry&) const = default;
};

// d_j of period t.
int64_t DigitOf(const KAry& tree, int64_t t, int level);

// The mean of |d_j| over the periods 1..N, for each level.
std::vector<double> MeanBlocks(const KAry& tree, int64_t periods);

// The levels' shares of epsilon, proportional to the cube roots of their mean numbers of blocks,
// which has the least mean variance. They sum to 1.
std::vector<double> LevelShares(const KAry& tree, int64_t periods);

// The tree for N periods with the least mean variance with those shares. 1 <= N <= kMostPeriods.
KAry BestKAry(int64_t periods);

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_K_ARY_H_
