#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "collector/postprocess/postprocess.h"
#include "common/random/random_source.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

// Plain expectation-maximisation from the uniform histogram.
std::vector<double> Iterate(const std::vector<int64_t>& counts, double background, double signal,
                            int iterations) {
  std::vector<double> f(counts.size(), 1.0 / static_cast<double>(counts.size()));
  for (int i = 0; i < iterations; ++i) {
    double sum = 0;
    for (size_t v = 0; v < f.size(); ++v) {
      f[v] = static_cast<double>(counts[v]) * signal * f[v] / (background + signal * f[v]);
      sum += f[v];
    }
    for (double& entry : f) entry /= sum;
  }
  return f;
}

double LogLikelihood(const std::vector<int64_t>& counts, double background, double signal,
                     const std::vector<double>& f) {
  double sum = 0;
  for (size_t v = 0; v < f.size(); ++v) {
    if (counts[v] > 0) {
      sum += static_cast<double>(counts[v]) * std::log(background + signal * f[v]);
    }
  }
  return sum;
}

std::vector<int64_t> DrawCounts(size_t size, uint64_t spread, RandomSource& random) {
  std::vector<int64_t> counts(size);
  for (int64_t& count : counts) count = static_cast<int64_t>(UniformBelow(spread, random));
  counts[0] += 1 + static_cast<int64_t>(UniformBelow(4 * spread, random));
  return counts;
}

// 1/mu = (1 + 2 * 0.5) / 1400 for the two largest, and 200 / 700 < 0.5.
TEST(MostLikelyTest, MatchesASmallCaseByHand) {
  EXPECT_THAT(*MostLikely({800, 200, 600}, 50, 100),
              Pointwise(DoubleNear(1e-15), {800 / 700.0 - 0.5, 0.0, 600 / 700.0 - 0.5}));
}

TEST(MostLikelyTest, IsPlainSharesWithoutBackground) {
  EXPECT_THAT(*MostLikely({30, 0, 10}, 0, 17), ElementsAre(0.75, 0, 0.25));
}

// Counts at their means give the truth back.
TEST(MostLikelyTest, InvertsTheExpectedCounts) {
  EXPECT_THAT(*MostLikely({100 + 600, 100 + 300, 100, 100 + 100}, 100, 1000),
              Pointwise(DoubleNear(1e-15), {0.6, 0.3, 0.0, 0.1}));
}

// The conditions of Karush, Kuhn and Tucker: in the simplex; the derivative C_v signal /
// (background + signal f_v) is one mu where f_v is positive and at most mu where it is zero.
TEST(MostLikelyTest, SatisfiesTheOptimalityConditions) {
  SeededRandom random(1);
  for (int run = 0; run < 2000; ++run) {
    const size_t size = 1 + UniformBelow(60, random);
    const std::vector<int64_t> counts = DrawCounts(size, uint64_t{2} << (run % 30), random);
    const double background = std::pow(10.0, static_cast<double>(run % 11) - 3);
    const double signal = std::pow(10.0, static_cast<double>(run % 7));
    const std::vector<double> f = *MostLikely(counts, background, signal);
    EXPECT_NEAR(std::accumulate(f.begin(), f.end(), 0.0), 1, 1e-12);
    const auto slope = [&](size_t v) {
      return static_cast<double>(counts[v]) * signal / (background + signal * f[v]);
    };
    const double mu =
        slope(static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin()));
    for (size_t v = 0; v < size; ++v) {
      EXPECT_GE(f[v], 0);
      if (f[v] > 0) {
        EXPECT_NEAR(slope(v) / mu, 1, 1e-9);
      } else {
        EXPECT_LE(slope(v) / mu, 1 + 1e-9);
      }
    }
  }
}

// The likelihood is concave, so that EM's limit is the maximum; where an optimal entry lies on the
// boundary EM comes only like 1 / iterations.
TEST(MostLikelyTest, IsWhereTheIterationComesToRest) {
  SeededRandom random(2);
  for (int run = 0; run < 20; ++run) {
    const std::vector<int64_t> counts = DrawCounts(2 + UniformBelow(8, random), 500, random);
    const double background = 10 + static_cast<double>(UniformBelow(300, random));
    const double signal = 100 + static_cast<double>(UniformBelow(3000, random));
    const std::vector<double> f = *MostLikely(counts, background, signal);
    const std::vector<double> iterated = Iterate(counts, background, signal, 40000);
    EXPECT_THAT(iterated, Pointwise(DoubleNear(3e-4), f));
    const double best = LogLikelihood(counts, background, signal, f);
    EXPECT_GE(best, LogLikelihood(counts, background, signal, iterated) - 1e-9 * std::abs(best));
    EXPECT_THAT(Iterate(counts, background, signal, 400), Pointwise(DoubleNear(0.1), f));
  }
}

// The count at which a value's share becomes zero if exactly these are positive.
double ZeroPoint(const std::vector<int64_t>& counts, double ratio) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  return ratio * sum / (1 + ratio * static_cast<double>(counts.size()));
}

// How many passes it takes to find the positive ones by dropping what is not.
int Passes(std::vector<int64_t> counts, double ratio) {
  for (int passes = 1;; ++passes) {
    const double zero = ZeroPoint(counts, ratio);
    const size_t before = counts.size();
    std::erase_if(counts, [zero](int64_t c) { return static_cast<double>(c) <= zero; });
    if (counts.size() == before) return passes;
  }
}

// Each group lies so far below the zero point of those before it that it lifts the one before out
// of reach: a pass drops one group only. Against a search for mu by halving.
TEST(MostLikelyTest, AgreesWithASearchWherePassesDropLittle) {
  constexpr double kRatio = 1000;
  std::vector<int64_t> counts = {(int64_t{1} << 50) + 4000, int64_t{1} << 50};
  double offset = 1000;
  for (int group = 0; group < 20; ++group) {
    const double zero = ZeroPoint(counts, kRatio);
    counts.insert(counts.end(), (counts.size() + 1) / 2, static_cast<int64_t>(zero - offset));
    offset *= 2.2;
  }
  ASSERT_GT(Passes(counts, kRatio), 15);  // more than are made before the counts are sorted

  const auto total = [&](double mu) {
    double sum = 0;
    for (const int64_t c : counts) sum += std::max(0.0, static_cast<double>(c) / mu - kRatio);
    return sum;
  };
  double low = 1;
  double high = 1e18;
  for (int i = 0; i < 200; ++i) (total((low + high) / 2) > 1 ? low : high) = (low + high) / 2;
  const std::vector<double> f = *MostLikely(counts, 1000, 1);
  for (size_t v = 0; v < counts.size(); ++v) {
    EXPECT_NEAR(f[v], std::max(0.0, static_cast<double>(counts[v]) / low - kRatio), 1e-9);
  }
}

TEST(MostLikelyTest, KeepsItsDigitsOnLargeCountsAndBackgrounds) {
  const int64_t large = int64_t{1} << 60;
  EXPECT_THAT(*MostLikely({large, large, large, large}, 1e18, 1e10), Each(DoubleNear(0.25, 1e-15)));
  const std::vector<double> f = *MostLikely({large + 1, large - 1}, 1e18, 1e18);
  EXPECT_NEAR(f[0] + f[1], 1, 1e-15);
}

TEST(MostLikelyTest, RefusesWhatHasNoLikelihood) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const absl::StatusOr<std::vector<double>>& result) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  EXPECT_THAT(refused(MostLikely({}, 1, 1)), HasSubstr("empty"));
  EXPECT_THAT(refused(MostLikely({3, -1}, 1, 1)), HasSubstr("not differences"));
  for (const double bad : {nan, infinity, -1.0}) {
    EXPECT_THAT(refused(MostLikely({3, 1}, bad, 1)), HasSubstr("background"));
    EXPECT_THAT(refused(MostLikely({3, 1}, 1, bad)), HasSubstr("signal"));
  }
  EXPECT_THAT(refused(MostLikely({3, 1}, 1, 0)), HasSubstr("signal"));
  EXPECT_THAT(refused(MostLikely({3, 1}, 1, 1e-300)), HasSubstr("signal"));
  EXPECT_EQ(MostLikely({0, 0, 0}, 5, 10).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(MostLikelyTest, HandlesTheEdges) {
  EXPECT_THAT(*MostLikely({5}, 100, 3), ElementsAre(1));
  EXPECT_THAT(*MostLikely({0, 1}, 1e9, 1), ElementsAre(0, 1));
  EXPECT_THAT(*MostLikely({4, 4, 4, 4}, 7, 3), ElementsAre(0.25, 0.25, 0.25, 0.25));
}

}  // namespace
}  // namespace tombola::collector
