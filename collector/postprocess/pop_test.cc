#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "collector/postprocess/postprocess.h"
#include "common/random/random_source.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<double> Project(const std::vector<double>& x) { return Pop(x).value(); }

// Around 1/d with noise of the given scale, as estimates are.
std::vector<double> Noisy(size_t size, double scale, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(1.0 / static_cast<double>(size), scale);
  std::vector<double> x(size);
  for (double& entry : x) entry = noise(engine);
  return x;
}

// The textbook algorithm, without the shift by the maximum or any of Pop's shortcuts.
std::vector<double> ProjectBySorting(const std::vector<double>& x) {
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  long double sum = 0;
  long double tau = 0;
  for (size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const long double candidate = (sum - 1) / static_cast<long double>(j + 1);
    if (sorted[j] > candidate) tau = candidate;
  }
  std::vector<double> y;
  y.reserve(x.size());
  for (const double entry : x) {
    y.push_back(static_cast<double>(std::max(entry - tau, static_cast<long double>(0))));
  }
  return y;
}

double Distance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

// Values of an independent implementation.
TEST(PopTest, MatchesTheReference) {
  EXPECT_THAT(Project({0.9, 0.3, 0.05, -0.2}),
              Pointwise(DoubleNear(1e-9), {0.8, 0.19999999999999996, 0.0, 0.0}));
  EXPECT_THAT(Project({7.0}), ElementsAre(1.0));
  EXPECT_THAT(
      Project({0.2, 0.3, 0.1}),
      Pointwise(DoubleNear(1e-9), {0.3333333333333333, 0.4333333333333333, 0.2333333333333333}));
  EXPECT_THAT(Project({-0.1, 0.2, 0.4, 0.05, 0.6, -0.03}),
              Pointwise(DoubleNear(1e-9), {0.0, 0.13333333333333336, 0.33333333333333337, 0.0,
                                           0.5333333333333333, 0.0}));
}

// One pass over the positive entries, as one may read Eq. (22): not in the simplex.
TEST(PopTest, OnePassOverThePositiveEntriesWouldBeWrong) {
  const std::vector<double> x = {0.9, 0.3, 0.05, -0.2};
  const double tau = (0.9 + 0.3 + 0.05 - 1) / 3;
  std::vector<double> one_pass;
  one_pass.reserve(x.size());
  for (const double entry : x) one_pass.push_back(entry > 0 ? entry - tau : 0);
  EXPECT_LT(one_pass[2], -0.03);
  EXPECT_GT(Distance(one_pass, Project(x)), 0.03);
}

TEST(PopTest, RefusesWhatIsNoEstimate) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Pop({}).status().code(), absl::StatusCode::kInvalidArgument);
  for (const double bad : {nan, infinity, -infinity}) {
    const auto result = Pop({0.5, bad, 0.5});
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(result.status().message()), HasSubstr("estimates[1]"));
  }
}

TEST(PopTest, HandlesTheEdges) {
  EXPECT_THAT(Project({-3.0}), ElementsAre(1.0));
  EXPECT_THAT(Project({0.0, 0.0, 0.0, 0.0}), ElementsAre(0.25, 0.25, 0.25, 0.25));
  EXPECT_THAT(Project({-7.5, -7.5}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(Project({1.0, 0.0}), ElementsAre(1.0, 0.0));
  EXPECT_THAT(Project({2.0, 1.0}), ElementsAre(1.0, 0.0));
  EXPECT_THAT(Project({1e308, -1e308, 1e308}), ElementsAre(0.5, 0.0, 0.5));
  EXPECT_THAT(Project({1e-310, 0.0}), Pointwise(DoubleNear(1e-15), {0.5, 0.5}));
}

// The conditions of Karush, Kuhn and Tucker: in the simplex, and x - y the same tau where y is
// positive and at most tau where y is zero.
TEST(PopTest, SatisfiesTheOptimalityConditions) {
  SeededRandom random(1);
  for (int run = 0; run < 2000; ++run) {
    const size_t size = 1 + UniformBelow(60, random);
    const double scale = std::pow(10.0, static_cast<double>(run % 9) - 5);
    const std::vector<double> x = Noisy(size, scale, random.Next64());
    const std::vector<double> y = Project(x);
    EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 1, 1e-12);
    const size_t top = static_cast<size_t>(std::max_element(x.begin(), x.end()) - x.begin());
    const double tau = x[top] - y[top];
    const double tolerance = 1e-13 * (1 + scale);
    for (size_t i = 0; i < size; ++i) {
      EXPECT_GE(y[i], 0);
      if (y[i] > 0) {
        EXPECT_NEAR(x[i] - y[i], tau, tolerance);
      } else {
        EXPECT_LE(x[i], tau + tolerance);
      }
    }
  }
}

TEST(PopTest, NeverMovesAwayFromAnyHistogram) {
  SeededRandom random(2);
  std::mt19937_64 engine(3);
  std::exponential_distribution<double> exponential;
  for (int run = 0; run < 2000; ++run) {
    const size_t size = 2 + UniformBelow(40, random);
    const std::vector<double> x = Noisy(size, run % 2 == 0 ? 0.03 : 3, random.Next64());
    std::vector<double> truth(size);
    for (double& entry : truth) entry = std::pow(exponential(engine), 1 + run % 5);
    const double sum = std::accumulate(truth.begin(), truth.end(), 0.0);
    for (double& entry : truth) entry /= sum;
    EXPECT_LE(Distance(Project(x), truth), Distance(x, truth) * (1 + 1e-12));
  }
}

TEST(PopTest, DoesNotChangeWhenAConstantIsAdded) {
  std::vector<double> x = Noisy(500, 0.01, 4);
  // On a grid of 2^-40, so that the additions are exact.
  for (double& entry : x) entry = std::ldexp(std::round(std::ldexp(entry, 40)), -40);
  const std::vector<double> y = Project(x);
  for (const double shift : {1.0, -3.0, 1024.0}) {
    std::vector<double> shifted = x;
    for (double& entry : shifted) entry += shift;
    EXPECT_EQ(Project(shifted), y) << shift;
  }
}

TEST(PopTest, LeavesAHistogramAlone) {
  const std::vector<double> y = Project(Noisy(300, 0.01, 5));
  EXPECT_THAT(Project(y), Pointwise(DoubleNear(1e-15), y));
}

TEST(PopTest, AgreesWithTheSortOnALargeDomain) {
  constexpr size_t kDomain = 100000;
  for (const double scale : {1e-7, 1e-5, 1e-3, 0.3}) {
    const std::vector<double> x = Noisy(kDomain, scale, 6);
    EXPECT_THAT(Project(x), Pointwise(DoubleNear(1e-13), ProjectBySorting(x))) << scale;
  }
}

// Entries are dropped while they are read, so their order matters to the work, and must not to the
// result: the largest last, first, and in runs.
TEST(PopTest, TheOrderOfTheEntriesDoesNotMatter) {
  std::vector<double> x = Noisy(50000, 1e-3, 7);
  x[0] = 0.2;
  std::sort(x.begin(), x.end());
  const std::vector<double> y = Project(x);
  EXPECT_THAT(y, Pointwise(DoubleNear(1e-13), ProjectBySorting(x)));
  EXPECT_LT(std::count_if(y.begin(), y.end(), [](double entry) { return entry > 0; }), 5000);
  std::vector<double> expected = y;
  std::reverse(x.begin(), x.end());
  std::reverse(expected.begin(), expected.end());
  EXPECT_THAT(Project(x), Pointwise(DoubleNear(1e-15), expected));
  for (const std::ptrdiff_t shift : {1, 4095, 4096, 30000}) {
    std::rotate(x.begin(), x.begin() + shift, x.end());
    std::rotate(expected.begin(), expected.begin() + shift, expected.end());
    EXPECT_THAT(Project(x), Pointwise(DoubleNear(1e-15), expected)) << shift;
  }
}

TEST(PopTest, FindsWhatIsNotFiniteWhereverItIs) {
  for (const size_t place : {size_t{0}, size_t{7}, size_t{8}, size_t{4099}, size_t{5000}}) {
    std::vector<double> x = Noisy(5001, 0.1, 8);
    x[place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(std::string(Pop(x).status().message()),
                HasSubstr("estimates[" + std::to_string(place) + "]"));
  }
}

// How many passes it takes to find tau by dropping what is not above it.
int Passes(std::vector<double> x) {
  for (int passes = 1;; ++passes) {
    const double tau =
        (std::accumulate(x.begin(), x.end(), 0.0) - 1) / static_cast<double>(x.size());
    const size_t before = x.size();
    x.erase(std::remove_if(x.begin(), x.end(), [tau](double entry) { return entry <= tau; }),
            x.end());
    if (x.size() == before) return passes;
  }
}

// Each group lies so far below the tau of those before it that it lifts the one before out of
// reach: a pass drops one group only.
std::vector<double> SlowToProject() {
  std::vector<double> x = {0, -0.1};
  double offset = 3e-8;
  for (int group = 0; group < 20; ++group) {
    const double tau =
        (std::accumulate(x.begin(), x.end(), 0.0) - 1) / static_cast<double>(x.size());
    x.insert(x.end(), (x.size() + 1) / 2, tau - offset);
    offset *= 2.2;
  }
  return x;
}

TEST(PopTest, AgreesWithTheSortWherePassesDropLittle) {
  const std::vector<double> x = SlowToProject();
  ASSERT_GT(Passes(x), 18);  // more than Pop makes before it sorts
  EXPECT_THAT(Project(x), Pointwise(DoubleNear(1e-13), ProjectBySorting(x)));
}

}  // namespace
}  // namespace tombola::collector
