#include "common/mechanism/cluster_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tombola::mechanism {
namespace {

// Pr[X = k], k < size, of the messages of such clusters: weight times a negative binomial number
// of shape rate / -ln(1 - p).
std::vector<double> LawOf(const Clusters& clusters, int size) {
  std::vector<double> law(size, 0.0);
  const double shape = clusters.rate / -clusters.sizes.log_rest;
  double p = std::exp(-clusters.rate);
  for (int k = 0; k * clusters.weight < size; ++k) {
    law[static_cast<size_t>(k * clusters.weight)] = p;
    p *= (k + shape) / (k + 1) * clusters.sizes.p;
  }
  return law;
}

TEST(LogarithmicSuccessTest, KeepsItsDigitsAtBothEnds) {
  const LogarithmicSuccess least = LogarithmicSuccess::Of(uint64_t{1} << 44);
  EXPECT_EQ(least.p, 0x1p-20);
  EXPECT_NEAR(least.log_rest / -9.5367477115389000725e-07, 1, 1e-14);
  EXPECT_NEAR(least.log_p / (-20 * std::log(2.0)), 1, 1e-15);
  const LogarithmicSuccess most = LogarithmicSuccess::Of(-(uint64_t{1} << 48));
  EXPECT_EQ(most.rest, 0x1p-16);
  EXPECT_NEAR(most.log_p / -1.525890547900607838e-05, 1, 1e-14);
  EXPECT_NEAR(most.log_rest / (-16 * std::log(2.0)), 1, 1e-15);
}

// Against the tail itself, summed: never below, and not far above: it is worst where clusters are
// rare and long.
TEST(ClusterTailTest, BoundsTheTail) {
  constexpr int kSize = 6000;
  const struct {
    double noise_rate, noise_success, flood_rate, flood_success;
  } kCases[] = {
      {0.003, 0.8, 0.05, 0.97}, {2, 0.3, 1, 0.6}, {0.5, 0.05, 20, 0.9}, {40, 0.5, 3, 0.95}};
  for (const auto& c : kCases) {
    const Clusters noise{
        c.noise_rate,
        LogarithmicSuccess::Of(static_cast<uint64_t>(std::ldexp(c.noise_success, 64))), 1};
    const Clusters flood{
        c.flood_rate,
        LogarithmicSuccess::Of(static_cast<uint64_t>(std::ldexp(c.flood_success, 64))), 2};
    const std::vector<double> a = LawOf(noise, kSize);
    const std::vector<double> b = LawOf(flood, kSize);
    std::vector<double> tail(kSize + 1, 0.0);
    for (int k = kSize - 1; k >= 0; --k) {
      double p = 0;
      for (int i = 0; i <= k; ++i) p += a[i] * b[k - i];
      tail[k] = tail[k + 1] + p;
    }
    EXPECT_NEAR(tail[0], 1, 1e-12);
    for (const int most : {1, 5, 20, 100, 400, 1000, 2000}) {
      const double bound = ClusterTail({noise, flood}, most);
      EXPECT_GE(bound, tail[most + 1] * (1 - 1e-11)) << c.noise_rate << " " << most;
      EXPECT_LE(bound, 1);
      if (tail[most + 1] > 1e-40 && tail[most + 1] < 0.01) {
        EXPECT_LE(bound, 10000 * tail[most + 1]) << c.noise_rate << " " << most;
      }
    }
  }
}

TEST(ClusterTailTest, NeverRisesWithTheCap) {
  const Clusters clusters{3, LogarithmicSuccess::Of(uint64_t{15} << 60), 2};
  double last = 1;
  for (int64_t most = 1; most < 65534; most += 1 + most / 10) {
    const double bound = ClusterTail({clusters}, most);
    EXPECT_LE(bound, last * (1 + 1e-9));
    EXPECT_GT(bound, 0);
    last = bound;
  }
  EXPECT_LT(last, 1e-300);
}

}  // namespace
}  // namespace tombola::mechanism
