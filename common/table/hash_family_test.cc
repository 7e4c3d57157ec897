#include "common/table/hash_family.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tombola::mechanism {
namespace {

TEST(CeilSqrtTest, IsTheLeastRoot) {
  EXPECT_EQ(CeilSqrt(1), 1u);
  EXPECT_EQ(CeilSqrt(2), 2u);
  EXPECT_EQ(CeilSqrt(4), 2u);
  EXPECT_EQ(CeilSqrt(5), 3u);
  EXPECT_EQ(CeilSqrt(600), 25u);
  EXPECT_EQ(CeilSqrt(625), 25u);
  EXPECT_EQ(CeilSqrt(626), 26u);
  EXPECT_EQ(CeilSqrt(uint64_t{1} << 24), 4096u);
}

TEST(PrimeTest, AgreesWithASieve) {
  constexpr uint64_t kEnd = 20000;
  std::vector<bool> composite(kEnd, false);
  composite[0] = composite[1] = true;
  for (uint64_t i = 2; i < kEnd; ++i) {
    for (uint64_t j = 2 * i; !composite[i] && j < kEnd; j += i) composite[j] = true;
  }
  for (uint64_t i = 0; i < kEnd; ++i) EXPECT_EQ(IsPrime(i), !composite[i]) << i;
}

TEST(PrimeTest, KnowsLargePrimes) {
  EXPECT_TRUE(IsPrime(2147483647));  // 2^31 - 1
  EXPECT_FALSE(IsPrime(uint64_t{46337} * 46337));
  EXPECT_EQ(NextPrime(2270), 2273u);
  EXPECT_EQ(NextPrime(2273), 2273u);
  EXPECT_EQ(NextPrime(2), 2u);
}

void ExpectEveryPairCollidesOnce(uint64_t order, uint64_t domain) {
  const uint64_t side = CeilSqrt(domain);
  ASSERT_LE(side, order);
  for (uint64_t v = 0; v < domain; ++v) {
    for (uint64_t w = v + 1; w < domain; ++w) {
      int collisions = 0;
      for (uint32_t function = 0; function <= order; ++function) {
        collisions +=
            PlaneBucket(function, v, side, order) == PlaneBucket(function, w, side, order);
      }
      ASSERT_EQ(collisions, 1) << "values " << v << " and " << w << ", order " << order;
    }
  }
}

TEST(PlaneTest, EveryPairOfValuesCollidesInExactlyOneFunction) {
  ExpectEveryPairCollidesOnce(31, 600);
  ExpectEveryPairCollidesOnce(5, 25);    // the whole plane
  ExpectEveryPairCollidesOnce(101, 60);  // a range above the domain
  ExpectEveryPairCollidesOnce(3, 6);
  ExpectEveryPairCollidesOnce(2, 4);
  ExpectEveryPairCollidesOnce(2, 2);
}

TEST(CollisionTest, IsThatOfTheFamilyAndNeverAbove) {
  for (const double order : {2.0, 3.0, 31.0, 2281.0, 2147483647.0}) {
    const double collision = CollisionOf(HashFamily::kPlane, order);
    EXPECT_LE(static_cast<long double>(collision) * (static_cast<long double>(order) + 1), 1.0L);
    EXPECT_DOUBLE_EQ(collision, 1 / (order + 1));
    EXPECT_EQ(CollisionOf(order), collision);
  }
  EXPECT_EQ(CollisionOf(HashFamily::kAffine, 2), 0.5);
  EXPECT_EQ(CollisionOf(1024), 1.0 / 1024);
  for (const double range : {0.0, 1.0, 2.5, 6.0, 100.0, 4294967296.0, 1e300}) {
    EXPECT_EQ(CollisionOf(range), 0) << range;
  }
}

TEST(PlaneTest, BucketsLieInTheRange) {
  for (uint32_t function = 0; function <= 29; ++function) {
    for (uint64_t v = 0; v < 600; ++v) EXPECT_LT(PlaneBucket(function, v, 25, 29), 29u);
  }
}

// How often each pair of buckets occurs for two values over all functions of the family.
std::vector<int> JointBuckets(uint64_t v, uint64_t w, int lane_bits, int range_bits) {
  std::vector<int> joint(size_t{1} << (2 * range_bits), 0);
  const uint64_t words = uint64_t{1} << lane_bits;
  for (uint64_t multiplier = 0; multiplier < words; ++multiplier) {
    for (uint64_t offset = 0; offset < words; ++offset) {
      const uint64_t first = AffineBucket(multiplier, offset, v, lane_bits, range_bits);
      const uint64_t second = AffineBucket(multiplier, offset, w, lane_bits, range_bits);
      ++joint[(first << range_bits) + second];
    }
  }
  return joint;
}

TEST(AffineTest, IsStronglyUniversalWhenLanesAreWideEnough) {
  // 8 values and 8 buckets need 3 + 3 bits.
  for (uint64_t v = 0; v < 8; ++v) {
    for (uint64_t w = v + 1; w < 8; ++w) {
      for (const int count : JointBuckets(v, w, 6, 3)) ASSERT_EQ(count, 64 * 64 / 64);
    }
  }
}

TEST(AffineTest, IsBiasedInNarrowLanes) {
  // 0 and 4 differ by a multiple of 2^2, so in lanes of 4 bits they collide too often.
  int collisions = 0;
  const std::vector<int> joint = JointBuckets(0, 4, 4, 3);
  for (int bucket = 0; bucket < 8; ++bucket) collisions += joint[bucket * 8 + bucket];
  EXPECT_GT(collisions, 16 * 16 / 8);
}

TEST(AffineTest, TakesTheLeadingBitsOfTheLane) {
  EXPECT_EQ(AffineBucket(0x80000000u, 0x7fffffffu, 1, 32, 4), 15u);
  EXPECT_EQ(AffineBucket(0x80000000u, 0x80000000u, 1, 32, 4), 0u);  // the sum wraps at 2^32
  EXPECT_EQ(AffineBucket(0x80000000u, 0x80000000u, 1, 64, 32), 1u);
  EXPECT_EQ(AffineBucket(uint64_t{1} << 63, 0, 3, 64, 1), 1u);
}

}  // namespace
}  // namespace tombola::mechanism
