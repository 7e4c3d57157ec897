// Random numbers of dummies, drawn from tables of whole numbers that every party builds alike.
#ifndef TOMBOLA_COMMON_MECHANISM_COUNT_TABLE_H_
#define TOMBOLA_COMMON_MECHANISM_COUNT_TABLE_H_

#include <cstdint>
#include <vector>

#include "common/random/random_source.h"

namespace tombola::mechanism {

// A unit of rates and a success probability's unit: what a task says in whole numbers.
inline constexpr int kRateBits = 40;

// A law on small whole numbers, as weights of 128-bit integers made by integer arithmetic alone, so
// that every machine has the very same law. A draw is exact for the weights; the weights are within
// kError in total variation of the law that they are named after, the tail that is cut included.
// Immutable and thread-safe, given a RandomSource for each thread.
class CountTable {
 public:
  using Word128 = unsigned __int128;

  static constexpr double kError = 0x1p-80;

  // Mean rate / 2^kRateBits, which must be in (0, 2^14].
  static CountTable Poisson(uint64_t rate);
  // Pr[X = k] = -p^k / (k ln(1 - p)) for k >= 1, p = success / 2^64 in [2^-20, 1 - 2^-16].
  static CountTable Logarithmic(uint64_t success);

  // Takes two words of 64 bits, more where they are beyond the total; fewer than four on average.
  uint32_t Draw(RandomSource& random) const;

  // Of the weights themselves.
  double mean() const { return mean_; }
  double variance() const { return variance_; }
  uint32_t least() const { return least_; }
  uint32_t most() const { return least_ + static_cast<uint32_t>(cumulative_.size()) - 1; }
  // Pr[X > k], rounded up.
  double Above(uint32_t k) const;
  // The weights added up, from that of least() on; the last is the total.
  const std::vector<Word128>& cumulative() const { return cumulative_; }

 private:
  CountTable(uint32_t least, const std::vector<Word128>& weights);

  uint32_t least_;
  std::vector<Word128> cumulative_;
  double mean_ = 0;
  double variance_ = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_COUNT_TABLE_H_
