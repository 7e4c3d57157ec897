// A reproducible source of random bits that costs next to nothing, for the inputs of benchmarks.
#ifndef TOMBOLA_BENCH_FAST_RANDOM_H_
#define TOMBOLA_BENCH_FAST_RANDOM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola::bench {

// splitmix64. Not thread-safe.
class FastRandom final : public RandomSource {
 public:
  explicit FastRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next64() override {
    uint64_t word = state_ += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }
  void Fill(absl::Span<uint8_t> out) override {
    for (size_t i = 0; i < out.size(); i += sizeof(uint64_t)) {
      const uint64_t word = Next64();
      std::memcpy(out.data() + i, &word, std::min(sizeof(word), out.size() - i));
    }
  }

 private:
  uint64_t state_;
};

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_FAST_RANDOM_H_
