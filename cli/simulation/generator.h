// The random bits of simulations: fast and reproducible, and worth nothing for privacy.
#ifndef TOMBOLA_CLI_SIMULATION_GENERATOR_H_
#define TOMBOLA_CLI_SIMULATION_GENERATOR_H_

#include <array>
#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola::simulation {

// xoshiro256++ (Blackman and Vigna, 2019). One seed, one sequence, on every machine. Also what the
// standard library calls a uniform random bit generator. No real device may draw from it.
//
// Not thread-safe: one a thread.
class Generator final : public RandomSource {
 public:
  using result_type = uint64_t;

  explicit Generator(uint64_t seed);

  uint64_t Next64() override;
  void Fill(absl::Span<uint8_t> out) override;

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }
  uint64_t operator()() { return Next64(); }

 private:
  std::array<uint64_t, 4> state_;
};

// Makes seeds of independent sequences out of one: the same words in the same order, the same seed.
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) : hash_(seed) {}

  SeedSequence& Add(uint64_t word);
  SeedSequence& Add(double number);
  SeedSequence& Add(absl::string_view text);
  uint64_t seed() const { return hash_; }

 private:
  uint64_t hash_;
};

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_GENERATOR_H_
