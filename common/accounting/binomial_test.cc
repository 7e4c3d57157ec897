#include "common/accounting/binomial.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

constexpr double kThousandth = 1.0 / 1024;

Binomial Law(int64_t trials, double success) { return {trials, success, 1 - success}; }

void ExpectRelative(double actual, double expected, double tolerance) {
  EXPECT_NEAR(actual / expected, 1, tolerance) << actual << " for " << expected;
}

// Reference values from 50-digit arithmetic; the probabilities are exact in binary.
TEST(BinomialPmfTest, AgreesWithMultiplePrecision) {
  ExpectRelative(BinomialPmf(Law(1, 0.5), 0), 0.5, 1e-15);
  ExpectRelative(BinomialPmf(Law(10, 0.375), 4), 0.247528078034520149, 1e-14);
  ExpectRelative(BinomialPmf(Law(10, 0.375), 10), 0.0000549936667084693909, 1e-14);
  ExpectRelative(BinomialPmf(Law(100000000, 0.5), 50030000), 1.21517547326814652e-12, 1e-12);
  ExpectRelative(BinomialPmf(Law(100000000, kThousandth), 100156), 2.03996960821692584e-17, 1e-12);
  ExpectRelative(BinomialPmf(Law(100000000, kThousandth), 95156), 1.19657098850208836e-17, 1e-12);
  ExpectRelative(BinomialPmf(Law(int64_t{1} << 40, 0.375), 412319860416), 2.0491863459937908e-14,
                 1e-11);
}

TEST(BinomialPmfTest, IsZeroOutsideTheSupportAndBelowTheSmallestDouble) {
  EXPECT_EQ(BinomialPmf(Law(10, 0.375), -1), 0);
  EXPECT_EQ(BinomialPmf(Law(10, 0.375), 11), 0);
  EXPECT_EQ(BinomialPmf(Law(1000000, kThousandth), 0), 0);
}

TEST(BinomialPmfTest, HandlesCertainty) {
  EXPECT_EQ(BinomialPmf(Law(7, 0), 0), 1);
  EXPECT_EQ(BinomialPmf(Law(7, 0), 1), 0);
  EXPECT_EQ(BinomialPmf(Law(7, 1), 7), 1);
  EXPECT_EQ(BinomialPmf(Law(7, 1), 6), 0);
  EXPECT_EQ(BinomialPmf(Law(0, 0.5), 0), 1);
}

TEST(BinomialPmfTest, StepsAgreeWithFreshValues) {
  const Binomial law = Law(100000000, kThousandth);
  double up = BinomialPmf(law, 97000);
  double down = BinomialPmf(law, 97000 + kPmfStepsPerAnchor);
  for (int i = 0; i < kPmfStepsPerAnchor; ++i) {
    up = PmfOneAbove(law, 97000 + i, up);
    down = PmfOneBelow(law, 97000 + kPmfStepsPerAnchor - i, down);
  }
  ExpectRelative(up, BinomialPmf(law, 97000 + kPmfStepsPerAnchor), 2e-13);
  ExpectRelative(down, BinomialPmf(law, 97000), 2e-13);
}

TEST(BinomialTailTest, AgreesWithMultiplePrecision) {
  ExpectRelative(BinomialUpperTail(Law(10, 0.375), 8), 0.00784576311707496643, 1e-14);
  ExpectRelative(BinomialUpperTail(Law(1000, kThousandth), 20), 8.49599075711260573e-20, 1e-13);
  ExpectRelative(BinomialUpperTail(Law(100000000, 0.5), 50020000), 0.0000316846208389717827, 1e-11);
  ExpectRelative(BinomialUpperTail(Law(100000000, kThousandth), 99156), 8.41068995916666459e-7,
                 1e-11);
  ExpectRelative(BinomialLowerTail(Law(100000000, kThousandth), 96156), 7.4203709320216755e-7,
                 1e-11);
  ExpectRelative(BinomialLowerTail(Law(1000000, 0.375), 372000), 2.84147521976301947e-10, 1e-11);
  ExpectRelative(BinomialLowerTail(Law(20, 0.375), 2), 0.00673325018618164527, 1e-14);
}

TEST(BinomialTailTest, TheTwoTailsMakeOneOnBothSidesOfTheMean) {
  for (const Binomial& law : {Law(20, 0.375), Law(1000, 0.25), Law(1000000, kThousandth)}) {
    for (int64_t k = 0; k <= 20; ++k) {
      EXPECT_NEAR(BinomialLowerTail(law, k) + BinomialUpperTail(law, k + 1), 1, 1e-12);
    }
    const int64_t mean = static_cast<int64_t>(law.mean());
    for (int64_t k = mean - 3; k <= mean + 3; ++k) {
      EXPECT_NEAR(BinomialLowerTail(law, k) + BinomialUpperTail(law, k + 1), 1, 1e-12);
    }
  }
}

TEST(BinomialTailTest, EndsWhereTheTermsUnderflow) {
  EXPECT_EQ(BinomialUpperTail(Law(100000000, kThousandth), 90000000), 0);
  EXPECT_EQ(BinomialLowerTail(Law(100000000, 0.5), 10), 0);
  EXPECT_EQ(BinomialUpperTail(Law(10, 0.5), 11), 0);
  EXPECT_EQ(BinomialLowerTail(Law(10, 0.5), -1), 0);
  EXPECT_EQ(BinomialUpperTail(Law(10, 0.5), 0), 1);
  EXPECT_EQ(BinomialLowerTail(Law(10, 0.5), 10), 1);
}

TEST(BinomialPointTest, LeavesAtMostTheMassBeyond) {
  for (const Binomial& law : {Law(1, 0.5), Law(30, 0.25), Law(1000, 0.75),
                              Law(1000000, kThousandth), Law(100000000, 0.5)}) {
    for (const double nats : {1.0, 10.0, 69.1}) {
      const int64_t low = BinomialLowPoint(law, nats);
      const int64_t high = BinomialHighPoint(law, nats);
      EXPECT_LE(static_cast<double>(low), law.mean());
      EXPECT_GE(static_cast<double>(high), law.mean());
      EXPECT_LE(BinomialLowerTail(law, low - 1), std::exp(-nats));
      EXPECT_LE(BinomialUpperTail(law, high + 1), std::exp(-nats));
    }
  }
}

}  // namespace
}  // namespace tombola::accounting
