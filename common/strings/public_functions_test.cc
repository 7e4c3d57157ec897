#include "common/strings/public_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/strings/alphabet.h"
#include "tests/support/seeded_random.h"

namespace tombola::strings {
namespace {

TaskId Counting() {
  TaskId id;
  for (size_t i = 0; i < id.size(); ++i) id[i] = static_cast<uint8_t>(i);
  return id;
}

struct Vector {
  int64_t level;
  Symbols parent;
  Symbols own;
  int64_t symbols;
  int64_t range;
  uint64_t first_key;
  uint64_t key;
  uint32_t buckets[4];  // of functions 0, 1, 7 and 255
};

// Computed by an independent program.
const std::vector<Vector> kVectors = {
    {0,
     {},
     {6, 14},
     42,
     1 << 16,
     16621599068373275781u,
     16621599068373276047u,
     {28788, 61746, 23298, 36523}},
    {1,
     {6, 14},
     {14, 6},
     42,
     1 << 16,
     265839195856610146u,
     265839195856610740u,
     {36993, 54102, 29559, 59020}},
    {2,
     {1, 2, 3, 4},
     {0, 0},
     256,
     1 << 14,
     7150965876498442475u,
     7150965876498442475u,
     {4103, 13664, 2758, 14310}},
};

TEST(PublicFunctionsTest, AreTheVectors) {
  for (const Vector& vector : kVectors) {
    const absl::StatusOr<Shape> shape =
        Shape::Create({.symbols = vector.symbols, .length = 6, .step = 2, .range = vector.range});
    ASSERT_TRUE(shape.ok()) << shape.status();
    const PublicFunctions functions(Counting(), *shape);
    EXPECT_EQ(functions.FirstKey(vector.level, vector.parent), vector.first_key);
    Symbols whole = vector.parent;
    whole.insert(whole.end(), vector.own.begin(), vector.own.end());
    whole.resize(6, 0);
    EXPECT_EQ(functions.Key(vector.level, whole), vector.key);
    const int64_t numbers[] = {0, 1, 7, 255};
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(functions.Bucket(numbers[i], vector.key), vector.buckets[i]) << numbers[i];
    }
  }
}

TEST(PublicFunctionsTest, DependOnTheTask) {
  const absl::StatusOr<Shape> shape =
      Shape::Create({.symbols = 42, .length = 6, .step = 3, .range = 1 << 16});
  TaskId other = Counting();
  other[31] ^= 1;
  const PublicFunctions a(Counting(), *shape);
  const PublicFunctions b(other, *shape);
  EXPECT_NE(a.FirstKey(0, {}), b.FirstKey(0, {}));
  EXPECT_NE(a.functions()[0].multiplier, b.functions()[0].multiplier);
  // Functions of one task, and both numbers of a function, differ.
  EXPECT_NE(a.functions()[1].multiplier, a.functions()[2].multiplier);
  EXPECT_NE(a.functions()[1].multiplier, a.functions()[1].offset);
}

TEST(OwnNumberTest, IsUndoneByOwnSymbols) {
  const Symbols own = {6, 0, 41};
  EXPECT_EQ(OwnNumber(own, 42), 6u * 42 * 42 + 41);
  Symbols back(3);
  OwnSymbols(OwnNumber(own, 42), 42, absl::MakeSpan(back));
  EXPECT_EQ(back, own);
}

// Why keys are hashes: packed numbers that differ by 2^j meet far too often once j > 64 - bits.
// Each rate is a mean of 4e5 draws, looked at to 5 standard deviations: each fails with
// probability 6e-7.
TEST(PublicFunctionTest, MeetsTooOftenWhereKeysDifferInTheirFirstBitsOnly) {
  struct Case {
    int bits;
    int difference;
    double collision;
  };
  constexpr int kDraws = 400000;
  SeededRandom random(20);
  for (const Case& c : {Case{12, 60, 1.0 / 16}, Case{12, 52, 1.0 / 4096}, Case{16, 50, 0x1p-14},
                        Case{16, 48, 0x1p-16}}) {
    int64_t met = 0;
    for (int i = 0; i < kDraws; ++i) {
      const PublicFunction function = {.multiplier = random.Next64(), .offset = random.Next64()};
      const uint64_t key = random.Next64();
      met += function.Bucket(key, c.bits) ==
             function.Bucket(key + (uint64_t{1} << c.difference), c.bits);
    }
    const double mean = kDraws * c.collision;
    EXPECT_NEAR(static_cast<double>(met), mean, 5 * std::sqrt(mean))
        << c.bits << " " << c.difference;
  }
}

}  // namespace
}  // namespace tombola::strings
