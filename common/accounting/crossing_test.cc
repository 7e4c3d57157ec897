#include "common/accounting/crossing.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

constexpr int64_t kEnd = int64_t{1} << 40;

// Counts what the search costs.
struct Counted {
  int evaluations = 0;
  int64_t root = 0;
  double power = 1;
  double operator()(int64_t at) {
    ++evaluations;
    const double distance = static_cast<double>(root - at);
    return distance > 0 ? std::pow(distance, power) : -std::pow(-distance, power);
  }
};

TEST(FindCrossingTest, FindsTheFirstGoodPointFromAnyGuess) {
  for (const int64_t root : {int64_t{2}, int64_t{1000}, int64_t{123456789}, kEnd}) {
    for (const int64_t start : {int64_t{1}, int64_t{990}, int64_t{200000000}, kEnd}) {
      for (const double power : {0.3, 1.0, 3.0}) {
        Counted function{0, root, power};
        const std::optional<int64_t> found =
            FindCrossing([&](int64_t at) { return function(at); }, {kEnd, 1, start, 10});
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(*found, root);
        EXPECT_LE(function.evaluations, 3 * 40 + 25);
      }
    }
  }
}

TEST(FindCrossingTest, WorksWithGoodPointsAtTheLowerEnd) {
  const std::optional<int64_t> found = FindCrossing(
      [](int64_t at) { return static_cast<double>(at - 777); }, {0, 1000000, 500000, 100});
  EXPECT_EQ(found, 777);
}

TEST(FindCrossingTest, ASmoothFunctionAndAGoodGuessCostFewEvaluations) {
  int evaluations = 0;
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t at) {
        ++evaluations;
        return 20 - std::sqrt(static_cast<double>(at)) / 50;
      },
      {kEnd, 1, 1005000, 20000});
  EXPECT_EQ(found, 1000000);
  EXPECT_LE(evaluations, 10);
}

TEST(FindCrossingTest, SurvivesAnInfiniteValueAndAPlateau) {
  const auto function = [](int64_t at) {
    if (at > 5000) return -std::numeric_limits<double>::infinity();
    return at > 4000 ? -1.0 : 3.0;
  };
  EXPECT_EQ(FindCrossing(function, {kEnd, 1, 6000, 10}), 4001);
  EXPECT_EQ(FindCrossing(function, {kEnd, 1, 10, 10}), 4001);
}

TEST(FindCrossingTest, ReturnsTheBadEndIfAllIsGoodAndNothingIfAllIsBad) {
  EXPECT_EQ(FindCrossing([](int64_t) { return -1.0; }, {100, 1, 50, 3}), 1);
  EXPECT_EQ(FindCrossing([](int64_t) { return 1.0; }, {100, 1, 50, 3}), std::nullopt);
}

}  // namespace
}  // namespace tombola::accounting
