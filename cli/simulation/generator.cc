#include "cli/simulation/generator.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tombola::simulation {
namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014), a bijection.
uint64_t Mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

}  // namespace

Generator::Generator(uint64_t seed) {
  for (uint64_t& word : state_) word = Mix(seed += kGolden);
}

uint64_t Generator::Next64() {
  auto& [a, b, c, d] = state_;
  const uint64_t result = std::rotl(a + d, 23) + a;
  const uint64_t shifted = b << 17;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = std::rotl(d, 45);
  return result;
}

void Generator::Fill(absl::Span<uint8_t> out) {
  for (size_t i = 0; i < out.size(); i += sizeof(uint64_t)) {
    const uint64_t word = Next64();
    std::memcpy(out.data() + i, &word, std::min(sizeof word, out.size() - i));
  }
}

SeedSequence& SeedSequence::Add(uint64_t word) {
  hash_ = Mix(hash_ + kGolden) ^ word;
  hash_ = Mix(hash_);
  return *this;
}

SeedSequence& SeedSequence::Add(double number) { return Add(std::bit_cast<uint64_t>(number)); }

SeedSequence& SeedSequence::Add(absl::string_view text) {
  Add(static_cast<uint64_t>(text.size()));
  for (const char c : text) Add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  return *this;
}

}  // namespace tombola::simulation
