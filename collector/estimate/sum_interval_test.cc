#include "collector/estimate/sum_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "collector/estimate/interval.h"
#include "collector/estimate/normal.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr mechanism::Support kSaid = {.holder = 1, .other = 0, .separation = 1};
constexpr Tally kTally = {.submissions = 10'000};

// Poisson noise of mean 100 in all.
CountModel Poisson() {
  return {.support = kSaid,
          .noise = CountModel::Noise::kPoisson,
          .noise_mean = 0.01,
          .noise_variance = 0.01,
          .noise_third = 0.01};
}

// A discrete Laplace variable, in all, of standard deviation 13.4.
CountModel Laplace() {
  return {.support = kSaid,
          .noise = CountModel::Noise::kDifference,
          .noise_variance = 2 * 0.0001 * 0.9 / 0.01,
          .difference_shape = 0.0001,
          .difference_success = 0.9};
}

double StandardError(const CountModel& model, double cells) {
  return std::sqrt(cells * mechanism::EstimateVariance(model, kTally, 0));
}

TEST(SumIntervalTest, OfOneCellIsThatOfTheCell) {
  for (const double alpha : {0.3, 0.05, 1e-9}) {
    for (const CountModel& model : {Poisson(), Laplace()}) {
      EXPECT_NEAR(SumInterval(model, kTally, alpha).HalfWidth(StandardError(model, 1), 1),
                  Interval(model, kTally, alpha).HalfWidth(0), 1e-12);
    }
    const CountModel responses = {.support = mechanism::ResponseSupport(20, 0.6)};
    const double error = std::sqrt(mechanism::EstimateVariance(responses, kTally, 0.3));
    const double half = Interval(responses, kTally, alpha).HalfWidth(0.3);
    EXPECT_GE(SumInterval(responses, kTally, alpha).HalfWidth(error, 1), half);
    EXPECT_LE(SumInterval(responses, kTally, alpha).HalfWidth(error, 1), 1.05 * half);
  }
}

TEST(SumIntervalTest, OfManyCellsIsNearlyNormal) {
  const double z = NormalTailQuantile(5e-7);
  for (const CountModel& model : {Poisson(), Laplace()}) {
    const double error = StandardError(model, 400);
    const double half = SumInterval(model, kTally, 1e-6).HalfWidth(error, 1);
    EXPECT_GE(half, z * error);
    EXPECT_LE(half, 1.15 * z * error);
  }
  // Nine cells, each a third of a weight, are no worse than one.
  const double error = StandardError(Laplace(), 1);
  EXPECT_LE(SumInterval(Laplace(), kTally, 1e-6).HalfWidth(error, 1.0 / 3),
            SumInterval(Laplace(), kTally, 1e-6).HalfWidth(error, 1));
}

TEST(SumIntervalTest, IsNothingWithoutAnError) {
  EXPECT_EQ(SumInterval(Poisson(), kTally, 0.05).HalfWidth(0, 1), 0);
  EXPECT_EQ(SumInterval(Laplace(), kTally, 0.05).HalfWidth(0, 1), 0);
}

// Weights of every size on eight discrete Laplace variables. At alpha 0.05 each interval fails with
// probability 0.05 at most; of 20,000 more than 1,400 then fail with probability at most
// e^(-2 20000 0.02^2) = 1.2e-7 (Hoeffding). That it is not far too wide shows on the other side.
TEST(SumIntervalTest, HoldsForWeightsOfEverySize) {
  std::mt19937_64 random(4);
  std::geometric_distribution<int> laplace(0.1);  // of success 0.9, failures counted
  constexpr double kWeights[] = {1, -0.5, 0.8, 0.05, 0.3, -0.9, 0.2, 0.6};
  double squares = 0;
  for (const double weight : kWeights) squares += weight * weight;
  const double error = StandardError(Laplace(), squares);
  const double half = SumInterval(Laplace(), kTally, 0.05).HalfWidth(error, 1);
  int failed = 0;
  constexpr int kRuns = 20'000;
  for (int run = 0; run < kRuns; ++run) {
    double sum = 0;
    for (const double weight : kWeights) sum += weight * (laplace(random) - laplace(random));
    failed += std::abs(sum) / kTally.submissions > half ? 1 : 0;
  }
  EXPECT_LE(failed, 1400);
  EXPECT_GE(failed, 100);
}

}  // namespace
}  // namespace tombola::collector
