#include "collector/aggregate/hash_tally.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/mechanism/grr.h"
#include "common/mechanism/murs.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;

LocalHash Make(HashFamily family, uint64_t range, uint32_t lane_bits) {
  return LocalHash::Create({family, range, /*blanket_threshold=*/1, lane_bits, /*domain_size=*/100})
      .value();
}

TEST(ClassesTest, EveryItemIsInOneClassAndSharesAreTheirSizes) {
  for (const uint64_t items : {2, 17, 255, 256, 257, 1000, 65537}) {
    const Classes classes(items);
    ASSERT_EQ(classes.number(), std::min<uint64_t>(items, 256)) << items;
    std::vector<int64_t> sizes(classes.number());
    for (uint64_t item = 0; item < items; ++item) ++sizes.at(classes.Of(item));
    for (uint64_t i = 0; i < classes.number(); ++i) {
      EXPECT_GE(sizes[i], 1) << items;
      EXPECT_DOUBLE_EQ(classes.Share(i), static_cast<double>(sizes[i]) / static_cast<double>(items))
          << items << " " << i;
    }
  }
}

// Where a class ends, one more item makes the quotient whole: there a rounded division shows.
TEST(ClassesTest, ClassesAreQuotientsRoundedDown) {
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    const int bits = 2 + i % 30;
    const uint64_t items = std::max<uint64_t>(2, random.Next64() >> (64 - bits));
    for (const uint64_t n : {items, uint64_t{1} << bits, (uint64_t{1} << bits) - 1}) {
      const Classes classes(n);
      ASSERT_EQ(classes.Of(n - 1), classes.number() - 1) << n;
      for (uint64_t index = 1; index < classes.number(); ++index) {
        const uint64_t start = (index * n + classes.number() - 1) / classes.number();
        ASSERT_EQ(classes.Of(start - 1), (start - 1) * classes.number() / n) << n;
        ASSERT_EQ(classes.Of(start), start * classes.number() / n) << n;
      }
    }
  }
}

TEST(ClassesTest, TheLastOfManyItemsIsInTheLastClass) {
  const Classes classes(uint64_t{1} << 31);
  EXPECT_EQ(classes.Of((uint64_t{1} << 31) - 1), 255u);
  EXPECT_DOUBLE_EQ(classes.Share(255), 1.0 / 256);
}

TEST(HashTallyTest, APlaneOfFewFunctionsHasAClassForEach) {
  const LocalHash plane = Make(HashFamily::kPlane, 17, 0);
  const HashClasses classes(plane);
  HashTally tally = classes.Empty();
  ASSERT_EQ(tally.functions.size(), 18u);
  ASSERT_EQ(tally.buckets.size(), 17u);
  classes.Add(mechanism::PlaneReport{.function = 17, .bucket = 3}, tally);
  classes.Add(mechanism::PlaneReport{.function = 17, .bucket = 16}, tally);
  classes.Add(mechanism::PlaneReport{.function = 0, .bucket = 3}, tally);
  EXPECT_EQ(tally.functions[17], 2);
  EXPECT_EQ(tally.functions[0], 1);
  EXPECT_EQ(tally.buckets[3], 2);
  EXPECT_EQ(tally.buckets[16], 1);
}

// A class of n reports has n / 256 on average with deviation sqrt(n / 256): beyond seven with
// probability below 3e-12, for 256 classes, two widths and functions and buckets below 2e-9.
TEST(HashTallyTest, FunctionsOfTheAffineFamilySpreadEvenly) {
  constexpr int kReports = 200'000;
  for (const uint32_t lane_bits : {32u, 64u}) {
    const LocalHash affine = Make(HashFamily::kAffine, 1024, lane_bits);
    const HashClasses classes(affine);
    HashTally tally = classes.Empty();
    SeededRandom random(lane_bits);
    for (int i = 0; i < kReports; ++i) classes.Add(affine.DrawAffine(random), tally);
    const double mean = kReports / 256.0;
    for (const auto& counts : {tally.functions, tally.buckets}) {
      ASSERT_EQ(counts.size(), 256u);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), kReports);
      for (const int64_t count : counts) {
        EXPECT_NEAR(static_cast<double>(count), mean, 7 * std::sqrt(mean)) << lane_bits;
      }
    }
  }
}

TEST(HashTallyTest, MergesByAdditionAndFromNothing) {
  const HashClasses classes(Make(HashFamily::kPlane, 17, 0));
  HashTally a = classes.Empty(), b = classes.Empty(), sum;
  classes.Add(mechanism::PlaneReport{.function = 1, .bucket = 2}, a);
  classes.Add(mechanism::PlaneReport{.function = 1, .bucket = 5}, b);
  sum.Merge(a);
  sum.Merge(b);
  sum.Merge(HashTally());
  EXPECT_EQ(sum.functions[1], 2);
  EXPECT_EQ(sum.buckets[2], 1);
  EXPECT_EQ(sum.buckets[5], 1);
}

TEST(HashTallyTest, KnowsTheMechanismsThatHash) {
  const LocalHash plane = Make(HashFamily::kPlane, 17, 0);
  EXPECT_EQ(plane.hashing(), &plane);
  const auto murs = mechanism::Murs::Create(plane.options(), /*fakes=*/3).value();
  EXPECT_EQ(murs.hashing(), &murs.local_hash());
  const auto grr = mechanism::Grr::Create({.blanket_threshold = 1, .domain_size = 100}).value();
  EXPECT_EQ(grr.hashing(), nullptr);
}

}  // namespace
}  // namespace tombola::collector
