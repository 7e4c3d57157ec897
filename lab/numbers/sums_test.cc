// Sums of several shuffled messages: what they hide by enumeration, and their draws.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "lab/numbers/bit_sum.h"
#include "lab/numbers/share_sum.h"
#include "lab/numbers/shuffled_sum.h"
#include "lab/sample/test_moments.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

// As in key_value/simulation_test.cc: 1e-8 for each of some hundred statements.
constexpr double kSigmas = 5.73;

TEST(BitSumTest, DrawsHaveTheStatedMoments) {
  constexpr int kDraws = 200000;
  for (const BitSum& sum : {BitSum{1, 0.5}, {1, 0.3}, {4, 0.3}, {16, 0.8}}) {
    for (const double number : {-1.0, 0.1, 0.5}) {
      Generator random(2);
      Moments drawn;
      for (int i = 0; i < kDraws; ++i) drawn.Add(sum.Estimate(sum.Draw(number, random)));
      const double variance = sum.Variance(number);
      EXPECT_NEAR(drawn.mean(), number, kSigmas * std::sqrt(variance / kDraws));
      // A coin of probability 0.15, the most uneven here, has a kurtosis of 4.9; sums of coins
      // less.
      EXPECT_NEAR(drawn.variance(), variance, kSigmas * std::sqrt(5.0 / kDraws) * variance);
    }
  }
}

// The number of ones if each of these bits, before lies, is flipped with this probability.
std::vector<double> CountLaw(const std::vector<int>& bits, double flipped) {
  std::vector<double> law = {1};
  for (const int bit : bits) {
    const double one = bit == 1 ? 1 - flipped : flipped;
    std::vector<double> next(law.size() + 1, 0);
    for (size_t i = 0; i < law.size(); ++i) {
      next[i] += law[i] * (1 - one);
      next[i + 1] += law[i] * one;
    }
    law = std::move(next);
  }
  return law;
}

double Stick(const std::vector<double>& p, const std::vector<double>& q, double epsilon) {
  double delta = 0;
  for (size_t i = 0; i < p.size(); ++i) delta += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  return delta;
}

TEST(BitSumTest, TellsDevicesApartAsMuchAsTheirBitsDo) {
  constexpr int kUsers = 4, kBits = 3;
  for (const double lie : {0.1, 0.6}) {
    for (const double epsilon : {0.0, 0.7}) {
      for (int ones = 0; ones <= (kUsers - 1) * kBits; ++ones) {
        std::vector<int> bits((kUsers - 1) * kBits, 0);
        std::fill_n(bits.begin(), ones, 1);
        double worst = 0;
        // The victim may say any two levels.
        for (int a = 0; a <= kBits; ++a) {
          for (int b = 0; b <= kBits; ++b) {
            std::vector<int> first = bits, second = bits;
            for (int i = 0; i < kBits; ++i) {
              first.push_back(i < a);
              second.push_back(i < b);
            }
            worst = std::max(worst,
                             Stick(CountLaw(first, lie / 2), CountLaw(second, lie / 2), epsilon));
          }
        }
        EXPECT_NEAR(*BitSumDelta({kBits, lie}, kUsers, epsilon, ones), worst, 1e-12);
      }
    }
  }
}

TEST(BitSumTest, HidesHardlyLessAmongOthersWhoseBitsDiffer) {
  for (const int64_t users : {3, 8, 40}) {
    for (const int64_t bits : {1, 2, 5}) {
      for (const double lie : {0.05, 0.2, 0.6}) {
        for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
          const BitSum sum = {bits, lie};
          const double alike = *BitSumDelta(sum, users, epsilon, 0);
          for (int64_t ones = 1; ones <= (users - 1) * bits; ++ones) {
            EXPECT_LE(*BitSumDelta(sum, users, epsilon, ones), kMixedBits * alike + 1e-15)
                << users << " devices, " << bits << " bits, " << lie << ", " << epsilon << ", "
                << ones;
          }
        }
      }
    }
  }
}

TEST(BitSumTest, ItsTheoremsAreNeverBelowTheTruth) {
  for (const int64_t users : {20000, 1000000}) {
    for (const double epsilon : {0.05, 0.3, 0.9}) {
      const auto target = Target::Create(users, epsilon, 1e-6);
      ASSERT_TRUE(target.ok());
      for (const int64_t bits : {1, 4}) {
        const auto published = PublishedBitSum(bits, *target), tight = PlanBitSum(bits, *target);
        if (!published.ok()) continue;
        ASSERT_TRUE(tight.ok());
        EXPECT_GT(published->lie, tight->lie);
        EXPECT_LE(*BitSumDelta(*published, users, epsilon, 0), 1e-6);
        EXPECT_LE(*BitSumDelta(*tight, users, epsilon, 0), 1e-6);
      }
    }
  }
  const auto target = Target::Create(1000000, 0.5, 1e-6);
  // 64 ln(4e6) / 0.25 coins of 1e6.
  EXPECT_NEAR(PublishedBitSum(1, *target)->lie, 3.891660e-3, 1e-8);
  // Both branches give a third of the devices where they meet, at 192 ln(4e6) / n = epsilon^2.
  const double meet = std::sqrt(192 * std::log(4e6) / 1e5);
  for (const double beside : {1 - 1e-6, 1 + 1e-6}) {
    const auto there = Target::Create(100000, meet * beside, 1e-6);
    EXPECT_NEAR(PublishedBitSum(1, *there)->lie, 1.0 / 3, 1e-4);
  }
}

// With many bits the noise is that of the central Gaussian mechanism: 2 / theta for -1 and 1 apart,
// theta = 0.2367 at (1, 1e-6).
TEST(BitSumTest, IsAsGoodAsTheCentralGaussian) {
  const auto target = Target::Create(100000, 1, 1e-6);
  const auto sum = PlanBitSum(316, *target);
  ASSERT_TRUE(sum.ok()) << sum.status();
  const double deviation = std::sqrt((sum->Variance(-1)) * 1e5);
  EXPECT_NEAR(deviation / (2 * 4.224679), 1, 0.03);
}

TEST(ShareSumTest, TakesTheMessagesThatItsAuthorsState) {
  EXPECT_EQ(MessagesForSharing(40, 4294967296.0, 1e4), 12);
}

TEST(ShareSumTest, MessagesAddUpToTheMeanWithTheStatedVariance) {
  constexpr int kRuns = 20000;
  const ShareSum sum = {
      .users = 20, .steps = 7, .messages = 4, .modulus = 100000, .noise_epsilon = 0.1};
  for (const double least : {-1.0, 0.3}) {
    Generator random(5);
    double mean = 0, rounding = 0;
    for (int i = 0; i < sum.users; ++i) {
      mean += (least + 0.02 * i) / 20;
      rounding += RoundingVariance(least + 0.02 * i, sum.steps) / 20;
    }
    Moments drawn;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<uint64_t> messages;
      for (int i = 0; i < sum.users; ++i) {
        const std::vector<uint64_t> shares = sum.Shares(least + 0.02 * i, random);
        messages.insert(messages.end(), shares.begin(), shares.end());
      }
      drawn.Add(sum.Mean(messages));
    }
    const double variance = sum.MeanVariance(rounding);
    EXPECT_NEAR(drawn.mean(), mean, kSigmas * std::sqrt(variance / kRuns));
    // A squared discrete Laplace variable has at most 5.01 times the square of its variance here.
    EXPECT_NEAR(drawn.variance() / variance, 1, kSigmas * std::sqrt(5.01 / kRuns));
  }
}

TEST(ShareSumTest, IsTheCentralMechanismButForRounding) {
  const auto target = Target::Create(1000000, 1, 1e-6);
  const auto sum = PlanShareSum(*target);
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->steps, 1000);
  EXPECT_NEAR(std::sqrt(sum->MeanVariance(0)) / (std::sqrt(8.0) / 1e6), 1, 1e-6);
  // (2 log2((1 + e) 1e6) + log2(2e9)) / (log2(1e6) - log2(e)) + 2 = 6.1.
  EXPECT_EQ(sum->messages, 7);
  EXPECT_FALSE(PlanShareSum(Target{.honest = 18, .epsilon = 1, .delta = 1e-6}).ok());
}

}  // namespace
}  // namespace tombola::lab
