#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/base/parallel.h"
#include "shuffler/digests/digest.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kParts = 256;
constexpr size_t kFew = 4096;

// Eight bytes as the number that compares as they do.
uint64_t Word(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

// A type, so that the comparison is compiled into the sort.
struct Less {
  bool operator()(const Digest& a, const Digest& b) const {
    const uint64_t high_a = Word(a.bytes.data()), high_b = Word(b.bytes.data());
    if (high_a != high_b) return high_a < high_b;
    return Word(a.bytes.data() + 8) < Word(b.bytes.data() + 8);
  }
};

// Where each first byte's digests begin, once they are apart; the last is the end.
using Starts = std::array<size_t, kParts + 1>;

// Every digest goes to the next free place of its part, and what was there goes on likewise.
Starts SetApart(absl::Span<Digest> digests) {
  Starts starts{};
  for (const Digest& digest : digests) ++starts[digest.bytes[0] + 1];
  for (size_t part = 0; part < kParts; ++part) starts[part + 1] += starts[part];
  Starts free = starts;
  for (size_t part = 0; part < kParts; ++part) {
    while (free[part] < starts[part + 1]) {
      Digest held = digests[free[part]];
      while (held.bytes[0] != part) std::swap(held, digests[free[held.bytes[0]]++]);
      digests[free[part]++] = held;
    }
  }
  return starts;
}

}  // namespace

void SortDigests(absl::Span<Digest> digests, size_t threads) {
  if (digests.size() < kFew) {
    std::sort(digests.begin(), digests.end(), Less());
    return;
  }
  const Starts starts = SetApart(digests);
  ForEachIndex(kParts, static_cast<int>(threads), [&](size_t part) {
    std::sort(digests.begin() + starts[part], digests.begin() + starts[part + 1], Less());
  });
}

}  // namespace tombola::shuffler
