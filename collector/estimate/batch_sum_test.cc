#include "collector/estimate/batch_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "collector/estimate/interval.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr mechanism::Support kOwn = {.holder = 1, .other = 0, .separation = 1};
constexpr Tally kBatchTally = {.submissions = 10'000};

// Poisson noise of this mean in all.
CountModel PoissonBatch(double mean) {
  const double each = mean / static_cast<double>(kBatchTally.submissions);
  return {.support = kOwn,
          .noise = CountModel::Noise::kPoisson,
          .noise_mean = each,
          .noise_variance = each,
          .noise_third = each};
}

// A difference of negative binomial variables of this shape in all.
CountModel LaplaceBatch(double success, double shape = 1) {
  const double each = shape / static_cast<double>(kBatchTally.submissions);
  return {.support = kOwn,
          .noise = CountModel::Noise::kDifference,
          .noise_variance = each * 2 * success / ((1 - success) * (1 - success)),
          .difference_shape = each,
          .difference_success = success};
}

BatchSum SumOf(const std::vector<CountModel>& models) {
  BatchSum sum;
  for (const CountModel& model : models) sum.Add(model, kBatchTally);
  return sum;
}

TEST(BatchSumTest, OfOneBatchIsThatOfTheBatch) {
  const auto n = static_cast<double>(kBatchTally.submissions);
  for (const double alpha : {0.3, 0.05, 1e-9}) {
    for (const CountModel& model : {PoissonBatch(100), LaplaceBatch(0.9), LaplaceBatch(0.98, 3)}) {
      const BatchSum sum = SumOf({model});
      EXPECT_NEAR(sum.HalfWidth(sum.Variance(0), alpha),
                  n * Interval(model, kBatchTally, alpha).HalfWidth(0), 1e-9 * n);
      EXPECT_NEAR(sum.UpperQuantileAtZero(alpha / 2),
                  n * UpperQuantileAtZero(model, kBatchTally, alpha / 2), 1e-9 * n);
      const double most = model.difference_shape > 0
                              ? DifferenceMaxError(model, kBatchTally, 20, alpha)
                              : BernsteinMaxError(model, kBatchTally, 20, alpha);
      EXPECT_NEAR(sum.MaxError(20, alpha), n * most, 1e-9 * n);
    }
    const CountModel responses = {.support = mechanism::ResponseSupport(20, 0.6)};
    const BatchSum sum = SumOf({responses});
    const double sloped = VariancePerHolder(responses, kBatchTally) * 0.3 * n;
    EXPECT_NEAR(sum.Variance(sloped),
                n * n * mechanism::EstimateVariance(responses, kBatchTally, 0.3), 1e-6);
    const double half = n * Interval(responses, kBatchTally, alpha).HalfWidth(0.3);
    EXPECT_GE(sum.HalfWidth(sum.Variance(sloped), alpha), half);
    EXPECT_LE(sum.HalfWidth(sum.Variance(sloped), alpha), 1.05 * half);
  }
}

TEST(BatchSumTest, NothingHasNoError) {
  const BatchSum none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.HalfWidth(none.Variance(0), 0.05), 0);
  EXPECT_EQ(none.MaxError(20, 0.05), 0);
}

TEST(BatchSumTest, VariancesAddUp) {
  const BatchSum sum = SumOf({PoissonBatch(100), PoissonBatch(40), PoissonBatch(7)});
  EXPECT_NEAR(sum.Variance(0), 147, 1e-9);
}

TEST(BatchSumTest, TheEstimateIsUnbiasedlyTheHolders) {
  EXPECT_NEAR(EstimatedHolders(PoissonBatch(100), kBatchTally, 350), 250, 1e-9);
  const CountModel responses = {.support = mechanism::ResponseSupport(20, 0.6)};
  const double expected =
      0.3 * 10'000 * responses.support.holder + 0.7 * 10'000 * responses.support.other;
  EXPECT_NEAR(EstimatedHolders(responses, kBatchTally, expected), 3000, 1e-6);
}

// The sum of differences of unlike width and shape. At alpha 0.05 each interval fails with
// probability 0.05 at most; of 20,000 more than 1,400 then fail with probability at most
// e^(-2 20000 0.02^2) = 1.2e-7 (Hoeffding). That it is not far too wide shows on the other side: if
// one failed with probability 0.02, fewer than 100 would with probability e^(-2 20000 0.015^2) <
// 1.3e-4 at most.
TEST(BatchSumTest, CoversDifferencesOfEveryWidth) {
  std::mt19937_64 random(5);
  const std::vector<std::vector<CountModel>> sums = {
      {LaplaceBatch(0.98), LaplaceBatch(0.9), LaplaceBatch(0.9), LaplaceBatch(0.5)},
      {LaplaceBatch(0.95), LaplaceBatch(0.95), LaplaceBatch(0.95)},
      {LaplaceBatch(0.97, 2), LaplaceBatch(0.8, 7)}};
  for (const std::vector<CountModel>& models : sums) {
    const BatchSum sum = SumOf(models);
    const double half = sum.HalfWidth(sum.Variance(0), 0.05);
    int failed = 0;
    constexpr int kRuns = 20'000;
    for (int run = 0; run < kRuns; ++run) {
      double error = 0;
      for (const CountModel& model : models) {
        // A Poisson variable of a gamma variable's mean is negative binomial.
        std::gamma_distribution<double> mean(
            model.difference_shape * static_cast<double>(kBatchTally.submissions),
            model.difference_success / (1 - model.difference_success));
        for (const int sign : {1, -1}) {
          error += sign * static_cast<double>(std::poisson_distribution<int>(mean(random))(random));
        }
      }
      if (std::abs(error) > half) ++failed;
    }
    EXPECT_LE(failed, 1400);
    EXPECT_GE(failed, 100);
  }
}

// The same of Poisson noise, of which half is subtracted, and of randomised responses, whose
// variance is estimated from the counts themselves. These are approximations that err on the wide
// side, so what follows from 0.05 is asked of them as well.
TEST(BatchSumTest, CoversPoissonNoiseAndResponses) {
  std::mt19937_64 random(6);
  constexpr int kRuns = 20'000;
  const std::vector<CountModel> noisy = {PoissonBatch(90), PoissonBatch(50), PoissonBatch(150),
                                         PoissonBatch(20)};
  const BatchSum sum = SumOf(noisy);
  const double half = sum.HalfWidth(sum.Variance(0), 0.05);
  int failed = 0;
  for (int run = 0; run < kRuns; ++run) {
    double error = 0, sign = 1;
    for (const CountModel& model : noisy) {
      const double mean = model.noise_mean * static_cast<double>(kBatchTally.submissions);
      error += sign * (static_cast<double>(std::poisson_distribution<int>(mean)(random)) - mean);
      sign = -sign;
    }
    if (std::abs(error) > half) ++failed;
  }
  EXPECT_LE(failed, 1400);
  EXPECT_GE(failed, 100);

  const CountModel responses = {.support = mechanism::ResponseSupport(20, 0.5)};
  constexpr int kHolders = 20;  // of each batch's 10,000
  failed = 0;
  for (int run = 0; run < kRuns; ++run) {
    BatchSum batches;
    double holders = 0, sloped = 0;
    for (int batch = 0; batch < 5; ++batch) {
      std::binomial_distribution<int> said(kHolders, responses.support.holder);
      std::binomial_distribution<int> other(10'000 - kHolders, responses.support.other);
      const double found = EstimatedHolders(responses, kBatchTally, said(random) + other(random));
      batches.Add(responses, kBatchTally);
      holders += found;
      sloped += VariancePerHolder(responses, kBatchTally) * found;
    }
    if (std::abs(holders - 5 * kHolders) > batches.HalfWidth(batches.Variance(sloped), 0.05)) {
      ++failed;
    }
  }
  EXPECT_LE(failed, 1400);
  EXPECT_GE(failed, 100);
}

}  // namespace
}  // namespace tombola::collector
