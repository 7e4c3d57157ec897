// One level's counts, capped and laid out for the gather loop, and the law of a statistic over
// them.
#ifndef TOMBOLA_COLLECTOR_DECODE_CAPPED_CELLS_H_
#define TOMBOLA_COLLECTOR_DECODE_CAPPED_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/aggregate/string_counts.h"
#include "collector/decode/gather_kernel.h"
#include "common/strings/shape.h"

namespace tombola::collector {

// The largest cap that is looked at.
inline constexpr int64_t kMostCap = 32;

// How many cells of each function's row hold how much. Immutable and thread-safe.
class CellHistogram {
 public:
  CellHistogram(const StringCounts& counts, int64_t level);

  // Cells of a row that hold `value`, 0 to cap, where no more than `cap` is counted.
  int64_t Holding(int64_t function, int64_t value, int64_t cap) const;
  // Reports for each cell.
  double load() const { return load_; }
  int64_t range() const { return range_; }

 private:
  static constexpr int64_t kWidth = kMostCap + 1;

  int64_t range_;
  double load_ = 0;
  std::vector<int64_t> at_least_;  // [function * kWidth + value]: cells with so much or more
};

// The law of the statistic of a string that nobody holds, S = the sum over functions of what is in
// its cell, each cell being uniform in its row: the convolution of the rows' empirical laws. That
// the functions are pairwise independent only makes it a good approximation, not a theorem.
// Immutable and thread-safe.
class NullLaw {
 public:
  NullLaw() : pmf_{1.0} {}
  // The law of this sum and one over another level's cells, of each no more than 1 <= cap <=
  // kMostCap.
  void Add(const CellHistogram& cells, int64_t cap);

  double mean() const;
  // Pr[S >= least].
  double Tail(int64_t least) const;
  // The smallest t with candidates * Pr[S >= t] <= level; above all values if none is.
  int64_t Threshold(double candidates, double level) const;

 private:
  std::vector<double> pmf_;
};

// What of a cell is counted: 1 where there are less than 3 reports for 100 cells, else the cap with
// which the fewest holders lift a statistic to its threshold. A low one hides holders that meet in
// a cell, a high one lets a string that many hold lift all that meet it under one function.
int64_t CapFor(const CellHistogram& cells, double candidates, double level);

// min(count, cap) for every cell of a level, for the gather loop. Immutable and thread-safe.
class CappedCells {
 public:
  // 1 <= cap <= kMostCap.
  CappedCells(const StringCounts& counts, int64_t level, int64_t cap);

  int64_t cap() const { return cap_; }
  CellRows rows() const;

 private:
  int64_t cap_;
  int range_bits_;
  int cell_bits_log_;
  size_t words_per_row_;
  std::vector<uint32_t> words_;
};

// How many functions are looked at before a candidate may be dropped.
inline constexpr int64_t kFirstFunctions = 96;

// A candidate whose sum over the first functions is below this is dropped: the largest bound that
// one in 200 of those that just reach the threshold would fall below. Its hits are as likely under
// any function: so those under the first are binomial, and if a hit may count up to the cap there
// are at least threshold / cap.
int64_t DropBelow(int64_t threshold, int64_t cap);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_CAPPED_CELLS_H_
