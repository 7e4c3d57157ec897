// Local hashing: encoder, aggregator and estimator together, against the mathematics.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/encode/encoder.h"
#include "client/encode/test_mechanisms.h"
#include "collector/aggregate/aggregator.h"
#include "collector/estimate/estimator.h"
#include "common/mechanism/local_hash.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;

// The counts of a batch in which holders[v] devices hold v.
std::vector<int64_t> Collect(const std::shared_ptr<const LocalHash>& local_hash,
                             const std::vector<int64_t>& holders, RandomSource& random) {
  const auto encoder = client::MakeEncoder(local_hash);
  const auto aggregator = MakeAggregator(local_hash);
  std::string report;
  for (size_t v = 0; v < holders.size(); ++v) {
    for (int64_t i = 0; i < holders[v]; ++i) {
      report.clear();
      encoder->Encode(v, random, &report);
      const mechanism::ReportState result = aggregator->Add(
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(report.data()), report.size()));
      EXPECT_EQ(result, mechanism::ReportState::kValid);
    }
  }
  return aggregator->counts();
}

std::vector<int64_t> Zipf(int64_t devices, size_t domain) {
  double total = 0;
  for (size_t v = 0; v < domain; ++v) total += std::pow(static_cast<double>(v + 1), -1.1);
  std::vector<int64_t> holders;
  int64_t left = devices;
  for (size_t v = 0; v + 1 < domain; ++v) {
    holders.push_back(static_cast<int64_t>(static_cast<double>(devices) *
                                           std::pow(static_cast<double>(v + 1), -1.1) / total));
    left -= holders.back();
  }
  holders.push_back(left);
  return holders;
}

// The published estimator, kept here to show that it is wrong: it takes 1 - p for the probability
// that the report of a device with another value supports v.
double Equation19(double share, double p) { return (share - (1 - p)) / (2 * p - 1); }

double Equation19Expectation(double frequency, double p, double s) {
  return (frequency * p + (1 - frequency) * s - (1 - p)) / (2 * p - 1);
}

// Values of an independent implementation.
TEST(Equation19Test, ExpectationMatchesTheReference) {
  EXPECT_NEAR(Equation19Expectation(0.26143, 3.0 / 4, 0.5) / 0.6307149999999998, 1, 1e-8);
  EXPECT_NEAR(Equation19Expectation(0.26143, 10.0 / 25, 1.0 / 16) / 2.2463368750000012, 1, 1e-8);
}

class UnbiasednessTest : public ::testing::TestWithParam<std::shared_ptr<const LocalHash>> {};

// Every one of 50 estimates lies within Bernstein's bound of the truth, except with probability
// 1e-9. Equation (19) is a linear function of the same count, so the same event bounds its distance
// from its own expectation, which is far from the truth.
TEST_P(UnbiasednessTest, TheEstimateIsCenteredOnTheTruthAndEquation19IsNot) {
  constexpr int64_t kDevices = 100000;
  const std::shared_ptr<const LocalHash> local_hash = GetParam();
  const std::vector<int64_t> holders = Zipf(kDevices, 50);
  SeededRandom random(1);
  const std::vector<int64_t> counts = Collect(local_hash, holders, random);
  const Estimator estimator(*local_hash);
  const mechanism::Tally tally = {.submissions = kDevices};
  const Estimates estimates = estimator.Estimate(counts, tally).value();
  const double bound = estimator.MaxError(tally, 1e-9).value();
  for (size_t v = 0; v < holders.size(); ++v) {
    const double truth = static_cast<double>(holders[v]) / kDevices;
    EXPECT_NEAR(estimates.raw[v], truth, bound) << v;
  }

  const double p = local_hash->p();
  const double s = local_hash->s();
  for (const size_t v : {0, 49}) {
    const double truth = static_cast<double>(holders[v]) / kDevices;
    const double published = Equation19(static_cast<double>(counts[v]) / kDevices, p);
    EXPECT_NEAR(published, Equation19Expectation(truth, p, s),
                bound * (p - s) / std::abs(2 * p - 1));
    EXPECT_GT(std::abs(published - truth), 5 * bound);
  }
  // Below p = 1/2 its slope is negative: the commonest value comes out rarest.
  if (p < 0.5) {
    EXPECT_LT(Equation19(static_cast<double>(counts[0]) / kDevices, p),
              Equation19(static_cast<double>(counts[49]) / kDevices, p));
  }
}

INSTANTIATE_TEST_SUITE_P(
    BelowAndAboveOneHalf, UnbiasednessTest,
    ::testing::Values(client::TestLocalHash(HashFamily::kAffine, 2, 2, 50),     // p = 0.75
                      client::TestLocalHash(HashFamily::kAffine, 16, 30, 50),   // p = 0.674
                      client::TestLocalHash(HashFamily::kAffine, 16, 9, 50),    // p = 0.4
                      client::TestLocalHash(HashFamily::kAffine, 64, 127, 50),  // p = 0.670
                      client::TestLocalHash(HashFamily::kPlane, 17, 30, 50),    // p = 0.660
                      client::TestLocalHash(HashFamily::kPlane, 17, 9, 50)));   // p = 0.385

// With d = q^2 every report supports exactly q values, so the estimates sum to one in every batch,
// without noise, if and only if s allows for the plane's collisions: with the universal family's
// s = 1 / q they would sum to zero.
TEST(PlaneTest, EstimatesOfAWholePlaneSumToOneExactly) {
  const auto local_hash = client::TestLocalHash(HashFamily::kPlane, 7, 5, 49);
  SeededRandom random(2);
  const std::vector<int64_t> counts = Collect(local_hash, Zipf(5000, 49), random);
  const Estimates estimates =
      Estimator(*local_hash).Estimate(counts, {.submissions = 5000}).value();
  double sum = 0;
  for (const double raw : estimates.raw) sum += raw;
  EXPECT_NEAR(sum, 1, 1e-10);
}

// Over R = 3000 batches the mean squared error of an estimate is its variance times a chi-square
// variable with R degrees of freedom over R, up to the excess kurtosis of a sum of 1000 reports,
// which is below 0.02: its relative deviation is below sqrt(2.02 / R), six of which fail with
// probability 2e-9.
void ExpectVariance(const std::shared_ptr<const LocalHash>& local_hash,
                    const std::vector<int64_t>& holders, uint64_t seed) {
  constexpr int64_t kDevices = 1000;
  constexpr int kBatches = 3000;
  SeededRandom random(seed);
  const Estimator estimator(*local_hash);
  std::vector<double> squares(holders.size(), 0);
  for (int batch = 0; batch < kBatches; ++batch) {
    const Estimates estimates =
        estimator.Estimate(Collect(local_hash, holders, random), {.submissions = kDevices}).value();
    for (size_t v = 0; v < holders.size(); ++v) {
      const double error = estimates.raw[v] - static_cast<double>(holders[v]) / kDevices;
      squares[v] += error * error;
    }
  }
  for (size_t v = 0; v < holders.size(); ++v) {
    const double predicted = mechanism::EstimateVariance(
        local_hash->support(), static_cast<double>(holders[v]) / kDevices, kDevices);
    EXPECT_NEAR(squares[v] / kBatches / predicted, 1, 6 * std::sqrt(2.02 / kBatches)) << v;
  }
}

TEST(VarianceTest, IsWhatTheFormulaSays) {
  ExpectVariance(client::TestLocalHash(HashFamily::kAffine, 16, 9, 4), {300, 700, 0, 0}, 3);
  ExpectVariance(client::TestLocalHash(HashFamily::kAffine, 16, 9, 2), {1000, 0}, 4);
  ExpectVariance(client::TestLocalHash(HashFamily::kPlane, 17, 30, 4), {300, 700, 0, 0}, 5);
}

}  // namespace
}  // namespace tombola::collector
