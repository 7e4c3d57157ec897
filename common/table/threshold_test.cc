#include "common/table/threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/table/domain_size.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

TEST(ThresholdTest, AFractionIsNeverAboveTheTruthAndItsComplementIsExactToTheLastDigit) {
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    uint64_t threshold = (random.Next64() >> (i % 64)) | 1;
    if (i % 2 == 1) threshold = -threshold;
    // A long double has the 64 bits.
    const long double truth = std::ldexp(static_cast<long double>(threshold), -64);
    const long double rest = std::ldexp(static_cast<long double>(-threshold), -64);
    EXPECT_LE(static_cast<long double>(FractionRoundedDown(threshold)), truth);
    EXPECT_GE(static_cast<long double>(FractionRoundedDown(threshold)), truth * (1 - 0x1p-52L));
    EXPECT_NEAR(static_cast<double>(ComplementOf(threshold) / rest), 1, 0x1p-53);
  }
  EXPECT_EQ(FractionRoundedDown(uint64_t{1} << 63), 0.5);
  EXPECT_EQ(ComplementOf(~uint64_t{0}), 0x1p-64);
}

TEST(ThresholdTest, TheBlanketIsNeverLessThanAskedFor) {
  for (const double range : {2.0, 31.0, 600.0, 16777216.0}) {
    for (double kappa = 1e-12; kappa < 1e15; kappa *= 7) {
      const uint64_t threshold = BlanketThreshold(range, kappa);
      const long double wanted =
          static_cast<long double>(range) / (static_cast<long double>(kappa) + range);
      const long double got = std::ldexp(static_cast<long double>(threshold), -64);
      EXPECT_GE(got, wanted * (1 - 0x1p-63L)) << range << " " << kappa;
      EXPECT_LE(got, wanted * (1 + 0x1p-49L) + 0x1p-63L) << range << " " << kappa;
    }
  }
}

TEST(ThresholdTest, TheBlanketStaysInBounds) {
  EXPECT_EQ(BlanketThreshold(2, 1e300), 1u);
  EXPECT_EQ(BlanketThreshold(2, 1e-300), ~uint64_t{0});
}

TEST(ThresholdTest, DomainsHaveBounds) {
  EXPECT_TRUE(ValidateDomain(2).ok());
  EXPECT_TRUE(ValidateDomain(kLargestDomain).ok());
  for (const int64_t size : {int64_t{-5}, int64_t{0}, int64_t{1}, (int64_t{1} << 24) + 1}) {
    EXPECT_EQ(ValidateDomain(size).code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tombola::mechanism
