// Digits below 2^32, from half a word each.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_SMALL_DIGITS_H_
#define TOMBOLA_SHUFFLER_PERMUTE_SMALL_DIGITS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola::shuffler {

// Exactly uniform: UniformBelow's method on words of 32 bits, which are fetched many at a time
// because a call a word would cost as much as the rest.
class SmallDigits {
 public:
  // `expected` digits are to come: up to that number the source is not drawn from in vain.
  SmallDigits(size_t expected, RandomSource& random) : unfetched_(expected), random_(random) {}

  // In {0..bound - 1}; bound >= 1.
  uint32_t Below(uint32_t bound) {
    uint64_t product = static_cast<uint64_t>(Word()) * bound;
    // Below `bound` lie the low halves that may have to be rejected. One in 2^32 / bound gets here.
    if (static_cast<uint32_t>(product) < bound) [[unlikely]] {
      const uint32_t excess = -bound % bound;
      while (static_cast<uint32_t>(product) < excess) {
        product = static_cast<uint64_t>(Word()) * bound;
      }
    }
    return static_cast<uint32_t>(product >> 32);
  }

 private:
  uint32_t Word() {
    if (next_ == fetched_) [[unlikely]] {
      next_ = 0;
      fetched_ = std::clamp(unfetched_, size_t{1}, words_.size());
      unfetched_ -= std::min(unfetched_, fetched_);
      random_.Fill(
          absl::MakeSpan(reinterpret_cast<uint8_t*>(words_.data()), fetched_ * sizeof(uint32_t)));
    }
    return words_[next_++];
  }

  std::array<uint32_t, 1024> words_;
  size_t next_ = 0;
  size_t fetched_ = 0;
  size_t unfetched_;
  RandomSource& random_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_SMALL_DIGITS_H_
