#include "common/random/keyed_random.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola {
namespace {

class Zeros final : public RandomSource {
 public:
  uint64_t Next64() override { return 0; }
  void Fill(absl::Span<uint8_t> out) override { std::fill(out.begin(), out.end(), uint8_t{0}); }
};

std::vector<uint8_t> Stream(KeyedRandom& random, size_t bytes) {
  std::vector<uint8_t> stream(bytes, 0xAA);
  random.Fill(absl::MakeSpan(stream));
  return stream;
}

// AES-256 of the zero block under the zero key, as FIPS 197's algorithm yields it.
TEST(KeyedRandomTest, IsTheKeyStreamOfCounterMode) {
  Zeros zeros;
  KeyedRandom random(zeros);
  EXPECT_THAT(Stream(random, 16),
              testing::ElementsAre(0xdc, 0x95, 0xc0, 0x78, 0xa2, 0x40, 0x89, 0x89, 0xad, 0x48, 0xa2,
                                   0x14, 0x92, 0x84, 0x20, 0x87));
}

TEST(KeyedRandomTest, AKeyThatIsKeptIsTheSameStream) {
  Zeros zeros;
  KeyedRandom drawn(zeros), kept(std::vector<uint8_t>(32));
  EXPECT_EQ(Stream(drawn, 1000), Stream(kept, 1000));
}

TEST(KeyedRandomTest, PiecesMakeUpTheStream) {
  SeededRandom first_parent(1), second_parent(1);
  KeyedRandom whole(first_parent), pieces(second_parent);
  const std::vector<uint8_t> expected = Stream(whole, 1000);
  std::vector<uint8_t> actual;
  for (const size_t bytes : {1, 15, 16, 17, 0, 951}) {
    const std::vector<uint8_t> piece = Stream(pieces, bytes);
    actual.insert(actual.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(actual, expected);
}

TEST(KeyedRandomTest, TwoFromOneSourceDiffer) {
  SeededRandom parent(2);
  KeyedRandom first(parent), second(parent);
  EXPECT_EQ(parent.draws(), 8);  // 32 bytes each
  EXPECT_NE(Stream(first, 32), Stream(second, 32));
}

TEST(KeyedRandomTest, WordsAreNeverHandedOutTwice) {
  SeededRandom parent(3);
  KeyedRandom random(parent);
  std::vector<uint64_t> words;
  for (int i = 0; i < 1000; ++i) {
    words.push_back(random.Next64());
    if (i % 10 == 0) Stream(random, 24);
  }
  std::sort(words.begin(), words.end());
  // Two of 1,000 words are equal by chance with probability below 1e6 / 2^64.
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

}  // namespace
}  // namespace tombola
