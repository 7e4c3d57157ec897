#include "common/strings/randomizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/strings/alphabet.h"
#include "tests/support/seeded_random.h"

namespace tombola::strings {
namespace {

constexpr int kDraws = 200000;

PublicFunctions Functions() {
  const absl::StatusOr<Shape> shape =
      Shape::Create({.symbols = 28, .length = 6, .step = 2, .range = 64});
  EXPECT_TRUE(shape.ok()) << shape.status();
  return PublicFunctions(TaskId{}, *shape);
}

// A mean of kDraws coins, to 5 standard deviations: fails with probability 6e-7.
void ExpectRate(int64_t count, double rate) {
  EXPECT_NEAR(static_cast<double>(count), kDraws * rate, 5 * std::sqrt(kDraws * rate * (1 - rate)));
}

TEST(StringRandomizerTest, SupportsTheStringAsOftenAsTheBlanketLeaves) {
  const PublicFunctions functions = Functions();
  const double gamma = 0.25;
  const StringRandomizer randomizer(&functions, uint64_t{1} << 62);
  SeededRandom random(1);
  const Symbols held = {1, 2, 3, 4, 5, 0};
  const Symbols other = {1, 2, 3, 5, 5, 0};
  int64_t supports = 0, supports_other = 0, supports_shared = 0, last_level = 0, half = 0;
  for (int i = 0; i < kDraws; ++i) {
    const StringReport report = randomizer.OneMessage(held, random);
    ASSERT_LT(report.level, 3);
    ASSERT_LT(report.bucket, 64u);
    const auto says = [&](const Symbols& symbols) {
      return functions.Bucket(report.function, functions.Key(report.level, symbols)) ==
             report.bucket;
    };
    supports += says(held);
    supports_other += report.level == 1 && says(other);
    supports_shared += report.level == 0 && says(other);
    last_level += report.level == 2;
    half += report.function >= 128;
  }
  const double p = 1 - gamma + gamma / 64;
  ExpectRate(supports, p);
  // The first prefix is shared; of the others each meets the held one under a function or not: 256
  // functions, each a coin of 1/64, beside the draws.
  ExpectRate(supports_shared, p / 3);
  EXPECT_NEAR(static_cast<double>(supports_other) / kDraws, 1.0 / 192,
              5 * (std::sqrt(1.0 / 64 / 256) * 0.75 / 3 + std::sqrt(1.0 / 192 / kDraws)));
  ExpectRate(last_level, 1.0 / 3);
  ExpectRate(half, 0.5);
}

TEST(StringRandomizerTest, DrawsAsMuchWhateverTheStringIs) {
  const PublicFunctions functions = Functions();
  const StringRandomizer randomizer(&functions, uint64_t{1} << 63);
  const Symbols empty(6, Alphabet::kEnd);
  const Symbols full(6, 27);
  SeededRandom a(7), b(7);
  for (int i = 0; i < 1000; ++i) {
    const StringReport of_empty = randomizer.OneMessage(empty, a);
    const StringReport of_full = randomizer.OneMessage(full, b);
    EXPECT_EQ(of_empty.level, of_full.level);
    EXPECT_EQ(of_empty.function, of_full.function);
    EXPECT_EQ(a.draws(), b.draws());
  }
}

TEST(StringRandomizerTest, ATrueCellIsTheStrings) {
  const PublicFunctions functions = Functions();
  const StringRandomizer randomizer(&functions, 1);
  SeededRandom random(3);
  const Symbols held = {9, 8, 7, 6, 5, 4};
  for (int64_t level = 0; level < 3; ++level) {
    const StringReport report = randomizer.TrueCell(level, held, random);
    EXPECT_EQ(report.level, level);
    EXPECT_EQ(report.bucket, functions.Bucket(report.function, functions.Key(level, held)));
  }
}

TEST(StringRandomizerTest, UniformCellsAreUniform) {
  const PublicFunctions functions = Functions();
  const StringRandomizer randomizer(&functions, 1);
  SeededRandom random(4);
  int64_t first_level = 0, low_bucket = 0, odd_function = 0;
  for (int i = 0; i < kDraws; ++i) {
    const StringReport report = randomizer.UniformCell(random);
    first_level += report.level == 0;
    low_bucket += report.bucket < 16;
    odd_function += report.function & 1;
  }
  ExpectRate(first_level, 1.0 / 3);
  ExpectRate(low_bucket, 0.25);
  ExpectRate(odd_function, 0.5);
}

}  // namespace
}  // namespace tombola::strings
