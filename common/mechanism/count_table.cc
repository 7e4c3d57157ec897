#include "common/mechanism/count_table.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/base/check.h"

namespace tombola::mechanism {
namespace {

using Word128 = CountTable::Word128;

// The weight of the mode. The totals stay below 2^128: at most 2^12 weights of 2^110, and
// 2^120 (1 + ln 2^23).
constexpr int kPoissonBits = 110;
constexpr int kLogarithmicBits = 120;

// Why the weights w are within kError of the law. Let w* be the law's own weights, scaled to the
// same mode, whose sum is at least 2^kPoissonBits or 2^kLogarithmicBits. The total variation of the
// two laws is at most the sum of w* - w, all >= 0, over the sum of w*. Every step loses less than 1
// and shrinks what was lost before, as all ratios are at most 1.
//
// Poisson, mean l <= 2^14: j steps from the mode less than j is lost. A weight that is kept has
// w* >= 1, while w* <= 2^110 exp(-j(j-1) / (2(l+j))) above the mode and 2^110 exp(-j(j-1) / (2l))
// below it: hence j < 2^11 on each side, and 2^22 is lost in all. Where w becomes 0, w* <= j, and
// beyond it falls by l/(l+j) or 1 - j/l a step: another l + j and l are cut, together below 2^23,
// which is 2^-87 of the sum.
//
// Logarithmic: with e = w* - w, (k+1) e(k+1) <= p k e(k) + k + 1, so that e(k) <= 1/(1-p) <= 2^16.
// A weight that is kept has 2^120 p^(k-1) >= 1, so there are fewer than 2^23 of them and 2^39 is
// lost. Where w becomes 0, w* <= 2^16 and falls by p a step: 2^32 is cut, together below 2^40,
// which is 2^-80 of the sum.
struct Word192 {
  uint64_t high, middle, low;
};

Word192 Multiply(Word128 a, uint64_t b) {
  const Word128 low = static_cast<Word128>(static_cast<uint64_t>(a)) * b;
  const Word128 high = (a >> 64) * b + (low >> 64);
  return {static_cast<uint64_t>(high >> 64), static_cast<uint64_t>(high),
          static_cast<uint64_t>(low)};
}

// Rounded down; the quotient has to fit.
Word128 Divide(const Word192& a, uint64_t divisor) {
  TOMBOLA_CHECK(a.high < divisor);
  const Word128 upper = static_cast<Word128>(a.high) << 64 | a.middle;
  const Word128 lower = (upper % divisor) << 64 | a.low;
  return (upper / divisor) << 64 | lower / divisor;
}

// A quotient of weights to about three units in the last place.
double Ratio(Word128 part, Word128 total) {
  return static_cast<double>(part) / static_cast<double>(total);
}

}  // namespace

CountTable CountTable::Poisson(uint64_t rate) {
  TOMBOLA_CHECK(rate >= 1 && rate <= uint64_t{1} << (14 + kRateBits));
  const uint64_t mode = rate >> kRateBits;
  const Word128 most = Word128{1} << kPoissonBits;
  std::vector<Word128> weights;
  uint64_t k = mode;
  for (Word128 w = most; w > 0; w = Divide(Multiply(w, k << kRateBits), rate), --k) {
    weights.push_back(w);
    if (k == 0) break;
  }
  const auto least = static_cast<uint32_t>(mode + 1 - weights.size());
  std::reverse(weights.begin(), weights.end());
  k = mode + 1;
  for (Word128 w = Divide(Multiply(most, rate), k << kRateBits); w > 0;
       w = Divide(Multiply(w, rate), k << kRateBits)) {
    weights.push_back(w);
    ++k;
  }
  return CountTable(least, weights);
}

CountTable CountTable::Logarithmic(uint64_t success) {
  TOMBOLA_CHECK(success >= uint64_t{1} << 44 && success <= ~uint64_t{0} - (uint64_t{1} << 48) + 1);
  std::vector<Word128> weights;
  uint64_t k = 1;
  for (Word128 w = Word128{1} << kLogarithmicBits; w > 0; ++k) {
    weights.push_back(w);
    const Word192 product = Multiply(w * k, success);
    w = (static_cast<Word128>(product.high) << 64 | product.middle) / (k + 1);
  }
  return CountTable(/*least=*/1, weights);
}

CountTable::CountTable(uint32_t least, const std::vector<Word128>& weights) : least_(least) {
  cumulative_.reserve(weights.size());
  Word128 total = 0;
  for (const Word128 w : weights) cumulative_.push_back(total += w);
  double first = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    first += static_cast<double>(i) * Ratio(weights[i], total);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const double off = static_cast<double>(i) - first;
    variance_ += off * off * Ratio(weights[i], total);
  }
  mean_ = least + first;
}

uint32_t CountTable::Draw(RandomSource& random) const {
  const Word128 total = cumulative_.back();
  const int unused = std::countl_zero(static_cast<uint64_t>((total - 1) >> 64));
  Word128 drawn;
  do {
    const Word128 high = random.Next64() >> unused;
    drawn = high << 64 | random.Next64();
  } while (drawn >= total);
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), drawn);
  return least_ + static_cast<uint32_t>(found - cumulative_.begin());
}

double CountTable::Above(uint32_t k) const {
  if (k < least_) return 1;
  if (k >= most()) return 0;
  constexpr double kRoundUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  const Word128 total = cumulative_.back();
  return std::min(1.0, Ratio(total - cumulative_[k - least_], total) * kRoundUp);
}

}  // namespace tombola::mechanism
