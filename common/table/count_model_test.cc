#include "common/table/count_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tombola::mechanism {
namespace {

// kappa = e^(local epsilon) - 1 over `range` buckets or values: 1 - gamma = kappa / (kappa +
// range).
double Truthful(double kappa, double range) { return kappa / (kappa + range); }

// Values of an independent implementation.
TEST(CountModelTest, ErrorsOfLocalHashingMatchTheReference) {
  const CountModel sixteen{.support = UniversalSupport(16, Truthful(9, 16))};
  const Tally tally{.submissions = 20000};
  EXPECT_NEAR(EstimateVariance(sixteen, tally, 0) / 2.5720164609053494e-05, 1, 1e-8);
  EXPECT_NEAR(EstimateVariance(sixteen, tally, 1) / 0.0001053497942386831, 1, 1e-8);
  const CountModel hashed{.support = UniversalSupport(247, Truthful(491.474, 247))};
  EXPECT_NEAR(AverageSquaredError(hashed, 600, {.submissions = 600000}) / 1.6675239899208366e-08, 1,
              1e-8);
  const CountModel plane{.support = PlaneSupport(31, Truthful(64, 31))};
  EXPECT_NEAR(AverageSquaredError(plane, 600, {.submissions = 60000}) / 1.2087669094693027e-06, 1,
              1e-8);
}

// [(d-1) q (1-q) + p (1-p)] / (d n (p-q)^2), p = (kappa+1)/K, q = 1/K.
TEST(CountModelTest, ErrorOfRandomisedResponseIsTheUsualOne) {
  const double d = 600, n = 600000, kappa = 4965.6, k = kappa + d;
  const double p = (kappa + 1) / k, q = 1 / k;
  const double mse = ((d - 1) * q * (1 - q) + p * (1 - p)) / (d * n * (p - q) * (p - q));
  const CountModel model{.support = ResponseSupport(d, Truthful(kappa, d))};
  EXPECT_NEAR(model.support.holder, p, 1e-15);
  EXPECT_NEAR(model.support.other, q, 1e-15);
  EXPECT_NEAR(AverageSquaredError(model, 600, {.submissions = 600000}) / mse, 1, 1e-12);
  EXPECT_NEAR(mse / 7.107e-10, 1, 0.005);  // of an independent implementation
}

// Fakes of local hashing add fakes s (1-s) / (n (p-s))^2, s = 1/g.
TEST(CountModelTest, FakesAddTheirOwnVariance) {
  const double g = 248, n = 600000, r = 60000;
  CountModel model{.support = UniversalSupport(g, Truthful(803.616, g)), .fake_support = 1 / g};
  const double separation = model.support.holder - 1 / g;
  const double without = AverageSquaredError(model, 600, {.submissions = 600000});
  const double with = AverageSquaredError(model, 600, {.submissions = 600000, .fakes = 60000});
  EXPECT_NEAR((with - without) / (r / g * (1 - 1 / g) / std::pow(n * separation, 2)), 1, 1e-9);
  EXPECT_NEAR(with / 1.3553e-08, 1, 1e-4);  // of an independent implementation
}

// Poisson dummies, lambda for each value in a batch: lambda / n^2.
TEST(CountModelTest, DummiesAddTheirOwnVariance) {
  const double n = 600000, lambda = 136.096;
  const CountModel model{.support = {.holder = 1, .other = 0, .separation = 1},
                         .noise_mean = lambda / n,
                         .noise_variance = lambda / n};
  for (const double frequency : {0.0, 0.3, 1.0}) {
    EXPECT_NEAR(EstimateVariance(model, {.submissions = 600000}, frequency) / (lambda / (n * n)), 1,
                1e-12);
  }
}

// The law of a sum of independent variables on 0, 1, 2, ...
std::vector<double> Sum(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> sum(a.size() + b.size() - 1, 0.0);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) sum[i + j] += a[i] * b[j];
  }
  return sum;
}

// Everything at once, against the exact law of the count: 7 submissions of which `holders` hold the
// value, each with noise on {0, 1, 3}, and 4 fakes.
TEST(CountModelTest, EstimatesAreUnbiasedAndOfTheStatedVariance) {
  const std::vector<double> noise = {0.7, 0.2, 0, 0.1};
  const double mean = 0.2 + 0.3;
  const CountModel model{.support = {.holder = 0.6, .other = 0.15, .separation = 0.45},
                         .noise_mean = mean,
                         .noise_variance = 0.2 + 0.9 - mean * mean,
                         .fake_support = 0.25};
  const Tally tally{.submissions = 7, .fakes = 4};
  for (int holders = 0; holders <= 7; ++holders) {
    std::vector<double> law = {1};
    for (int i = 0; i < 7; ++i) {
      const double support = i < holders ? 0.6 : 0.15;
      law = Sum(Sum(law, {1 - support, support}), noise);
    }
    for (int i = 0; i < 4; ++i) law = Sum(law, {0.75, 0.25});
    double first = 0;
    double second = 0;
    for (size_t count = 0; count < law.size(); ++count) {
      const double estimate = Estimate(model, tally, static_cast<double>(count));
      first += law[count] * estimate;
      second += law[count] * estimate * estimate;
    }
    const double frequency = holders / 7.0;
    EXPECT_NEAR(first, frequency, 1e-12);
    EXPECT_NEAR(second - first * first, EstimateVariance(model, tally, frequency), 1e-12);
  }
}

TEST(CountModelTest, TheAverageIsOverTheDomain) {
  const CountModel model{.support = ResponseSupport(4, 0.5), .fake_support = 0.25};
  const Tally tally{.submissions = 100, .fakes = 10};
  double sum = 0;
  for (const double frequency : {0.1, 0.7, 0.2, 0.0}) {
    sum += EstimateVariance(model, tally, frequency);
  }
  EXPECT_NEAR(AverageSquaredError(model, 4, tally), sum / 4, 1e-15);
}

}  // namespace
}  // namespace tombola::mechanism
