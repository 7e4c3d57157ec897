// A reproducible RandomSource. Lives with the tests: the programs never see it.
#ifndef TOMBOLA_TESTS_SUPPORT_SEEDED_RANDOM_H_
#define TOMBOLA_TESTS_SUPPORT_SEEDED_RANDOM_H_

#include <cstdint>
#include <cstring>
#include <random>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola {

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}

  uint64_t Next64() override {
    ++draws_;
    return engine_();
  }
  void Fill(absl::Span<uint8_t> out) override {
    for (size_t i = 0; i < out.size(); i += 8) {
      const uint64_t word = Next64();
      std::memcpy(out.data() + i, &word, out.size() - i < 8 ? out.size() - i : 8);
    }
  }

  // How many 64-bit words were drawn so far.
  int64_t draws() const { return draws_; }

 private:
  std::mt19937_64 engine_;
  int64_t draws_ = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_SEEDED_RANDOM_H_
