// Devices, shuffler's fakes, aggregator and estimator together, for every mechanism: what is
// estimated, how far it is off and what is said about that.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "collector/estimate/ranking.h"
#include "common/mechanism/mechanism.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using mechanism::Mechanism;
using mechanism::Tally;

constexpr int kBatches = 2500;
// More submissions than the noise was sized for.
constexpr int64_t kHonest = 500;
constexpr int64_t kSubmissions = 600;
// How many devices hold each value.
constexpr int64_t kHolders[] = {300, 150, 90, 50, 10, 0, 0, 0, 0, 0, 0, 0};
constexpr size_t kDomain = std::size(kHolders);
constexpr uint64_t kHeld = 5;

double Truth(size_t value) {
  return static_cast<double>(kHolders[value]) / static_cast<double>(kSubmissions);
}

class Deployment {
 public:
  explicit Deployment(std::shared_ptr<const Mechanism> mechanism)
      : mechanism_(std::move(mechanism)), encoder_(client::MakeEncoder(mechanism_)) {}

  // The counts of one batch, fakes included.
  std::vector<int64_t> Batch(RandomSource& random) const {
    const auto aggregator = MakeAggregator(mechanism_);
    std::string reports;
    for (size_t value = 0; value < kDomain; ++value) {
      for (int64_t i = 0; i < kHolders[value]; ++i) encoder_->Encode(value, random, &reports);
    }
    const size_t bytes = mechanism_->report_bytes();
    const size_t sent = reports.size();
    reports.resize(sent + static_cast<size_t>(mechanism_->fakes()) * bytes);
    const auto all = absl::MakeSpan(reinterpret_cast<uint8_t*>(reports.data()), reports.size());
    for (size_t at = sent; at < all.size(); at += bytes) {
      mechanism_->DrawFake(random, all.subspan(at, bytes));
    }
    for (size_t at = 0; at < all.size(); at += bytes) {
      EXPECT_EQ(aggregator->Add(all.subspan(at, bytes)), mechanism::ReportState::kValid);
    }
    return aggregator->counts();
  }

  Tally tally() const { return {.submissions = kSubmissions, .fakes = mechanism_->fakes()}; }

 private:
  std::shared_ptr<const Mechanism> mechanism_;
  std::unique_ptr<client::Encoder> encoder_;
};

// Whether a value has, of ties in any order, one of the places that it is said to have.
bool IsAt(const Place& place, size_t value) {
  uint64_t above = 0, from = 0;
  for (const int64_t holders : kHolders) {
    above += holders > kHolders[value];
    from += holders >= kHolders[value];
  }
  return place.best <= above + 1 && from <= place.worst;
}

// What many batches add up to. Batches are independent.
struct Seen {
  double errors[kDomain] = {};   // summed
  double squares[kDomain] = {};  // of errors, summed
  int covered[kDomain] = {};     // by the 95 % interval
  int beyond_bound = 0;          // batches with an error above MaxError at 0.05
  int beyond_threshold = 0;      // batches where a value nobody holds exceeds NoiseThreshold
  int beyond_band = 0;           // batches with a truth outside its interval of BandAt at 0.05
  int wrong_places = 0;          // batches with a place that is not as the ranking says
  int sure_of_first = 0;         // batches that are sure of which value is the largest
  double largest_error = 0;
};

class EveryMechanismTest : public ::testing::TestWithParam<std::shared_ptr<const Mechanism>> {
 protected:
  Seen Run(uint64_t seed) const {
    const Deployment deployment(GetParam());
    const Tally tally = deployment.tally();
    const double bound = estimator_.MaxError(tally, 0.05).value();
    const double threshold = estimator_.NoiseThreshold(tally, 0.05).value();
    SeededRandom random(seed);
    Seen seen;
    for (int batch = 0; batch < kBatches; ++batch) {
      const Estimates estimates = estimator_.Estimate(deployment.Batch(random), tally).value();
      const Interval interval = estimator_.IntervalAt(tally, 0.95).value();
      const Ranking ranking(estimates.raw, estimator_.BandAt(tally, 0.05).value());
      double largest = 0;
      bool noise = false, outside = false, misplaced = ranking.held() > kHeld, sure = false;
      for (size_t v = 0; v < kDomain; ++v) {
        const double error = estimates.raw[v] - Truth(v);
        seen.errors[v] += error;
        seen.squares[v] += error * error;
        seen.covered[v] += std::abs(error) <= interval.HalfWidth(estimates.raw[v]);
        largest = std::max(largest, std::abs(error));
        const Place place = ranking.Of(estimates.raw[v]);
        outside |= Truth(v) < place.low || Truth(v) > place.high;
        misplaced |= !IsAt(place, v);
        sure |= place.worst == 1;
        noise |= kHolders[v] == 0 && estimates.raw[v] > threshold;
      }
      seen.beyond_bound += largest > bound;
      seen.beyond_threshold += noise;
      seen.beyond_band += outside;
      seen.wrong_places += misplaced;
      seen.sure_of_first += sure;
      seen.largest_error = std::max(seen.largest_error, largest);
    }
    return seen;
  }

  double Variance(size_t value) const {
    return mechanism::EstimateVariance(estimator_.model(), Deployment(GetParam()).tally(),
                                       Truth(value));
  }

  // The excess kurtosis of a count, at most. Sums of hundreds of coins and Poisson numbers of mean
  // 60 are below 0.05. A difference of negative binomials of shape r and probability p has
  // (1 + 4 p + p^2) / (2 r p).
  double Kurtosis() const {
    const double p = estimator_.model().difference_success;
    const double shape = estimator_.model().difference_shape * static_cast<double>(kSubmissions);
    return shape > 0 ? (1 + 4 * p + p * p) / (2 * shape * p) : 0.05;
  }

  const Estimator estimator_ = Estimator(*GetParam());
};

// Let V be the variance that the model states and B the batches.
//  - The mean error over B batches has deviation sqrt(V / B): beyond six, 2e-9.
//  - The mean square has relative deviation sqrt((2 + kurtosis) / B): beyond six, about 2e-9. For
//    the heaviest tails here, nearly Laplace's, one batch that used up the slack of a quarter of B
//    variances would need an error of 25 deviations, which has probability e^(-25 sqrt(2)) = 4e-16.
//  - Of B intervals that each cover with probability 0.95 or more, fewer than six deviations
//    sqrt(0.95 0.05 / B) below that cover with probability about 1e-9. They are not much wider than
//    need be: not above 0.98, up to the same slack.
//  - The bound on the largest error, the threshold and the band each fail with probability 0.05 at
//    most, so above six deviations more than that with probability about 1e-9; what is said of
//    places is wrong only where the band fails. The bound is not idle: some error of the 12 B
//    exceeds a third of it.
// For 12 values, seven mechanisms and seven statements the total is below 1e-6.
TEST_P(EveryMechanismTest, EstimatesAndTheirErrorsAreAsStated) {
  const Seen seen = Run(1);
  const double slack = 6 * std::sqrt(0.95 * 0.05 / kBatches);
  for (size_t v = 0; v < kDomain; ++v) {
    EXPECT_NEAR(seen.errors[v] / kBatches, 0, 6 * std::sqrt(Variance(v) / kBatches)) << v;
    EXPECT_NEAR(seen.squares[v] / kBatches / Variance(v), 1,
                6 * std::sqrt((2 + Kurtosis()) / kBatches))
        << v;
    const double coverage = static_cast<double>(seen.covered[v]) / kBatches;
    EXPECT_GE(coverage, 0.95 - slack) << v;
    EXPECT_LE(coverage, 0.98 + slack) << v;
  }
  EXPECT_LE(seen.beyond_bound, (0.05 + slack) * kBatches);
  EXPECT_LE(seen.beyond_threshold, (0.05 + slack) * kBatches);
  EXPECT_LE(seen.beyond_band, (0.05 + slack) * kBatches);
  EXPECT_LE(seen.wrong_places, seen.beyond_band);
  EXPECT_GT(seen.sure_of_first, kBatches / 2);
  EXPECT_GT(seen.largest_error,
            estimator_.MaxError(Deployment(GetParam()).tally(), 0.05).value() / 3);
}

TEST_P(EveryMechanismTest, ThePlannersErrorIsTheAverageOfTheVariances) {
  double sum = 0;
  for (size_t v = 0; v < kDomain; ++v) sum += Variance(v);
  EXPECT_NEAR(GetParam()->PredictedMse(kSubmissions) / (sum / kDomain), 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryMechanismTest,
    ::testing::ValuesIn(client::EveryMechanism(static_cast<int64_t>(kDomain), kHonest)),
    client::MechanismName<::testing::TestParamInfo<EveryMechanismTest::ParamType>>);

}  // namespace
}  // namespace tombola::collector
