#include "collector/estimate/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/table/count_model.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr double kBandBeta = 0.05;

// Randomised response over 100 values, whose variance grows with the frequency.
const CountModel kResponded = {.support = {.holder = 0.7, .other = 0.003, .separation = 0.697}};
// What is held, and dummies: the same variance for every frequency.
const CountModel kDumped = {.support = {.holder = 1, .other = 0, .separation = 1},
                            .noise_mean = 0.01,
                            .noise_variance = 0.01,
                            .noise_third = 0.01};
const Tally kOfMany = {.submissions = 100000};

TEST(BandTest, EndsWhereBernsteinsInequalityDoes) {
  for (const CountModel& model : {kResponded, kDumped}) {
    const Band band(model, kOfMany, /*domain_size=*/100, kBandBeta);
    const double log_term = std::log(2 * 100 / kBandBeta);
    const double rest = 2 * log_term / (3 * 100000 * model.support.separation);
    for (const double raw : {0.05, 0.3, 0.9}) {
      for (const double end : {band.Low(raw), band.High(raw)}) {
        const double variance = mechanism::EstimateVariance(model, kOfMany, end);
        EXPECT_NEAR(std::abs(raw - end), std::sqrt(2 * log_term * variance) + rest, 1e-12) << raw;
      }
      EXPECT_LT(band.Low(raw), raw);
      EXPECT_GT(band.High(raw), raw);
    }
  }
}

TEST(BandTest, IsNeverWiderThanTheBoundForAllAndFarNarrowerWhereFewHold) {
  const double most = BernsteinMaxError(kResponded, kOfMany, 100, kBandBeta);
  const Band band(kResponded, kOfMany, 100, kBandBeta);
  for (double raw = -0.2; raw < 1.2; raw += 0.01) {
    EXPECT_LE(band.Low(raw), band.High(raw)) << raw;
    EXPECT_GE(band.Low(raw), 0) << raw;
    EXPECT_LE(band.High(raw), 1) << raw;
    if (raw < 0 || raw > 1) continue;
    EXPECT_LE(raw - band.Low(raw), most * (1 + 1e-12)) << raw;
    EXPECT_LE(band.High(raw) - raw, most * (1 + 1e-12)) << raw;
  }
  EXPECT_LT(band.High(0), most / 3);
}

class RankingTest : public ::testing::Test {
 protected:
  // In units of the band's half width, which is the same for all.
  void Estimated(const std::vector<double>& half_widths) {
    half_ = band_.High(0.5) - 0.5;
    for (const double at : half_widths) raw_.push_back(at * half_);
  }
  Ranking Ranked() const { return {raw_, band_}; }
  Place Of(size_t value) const { return Ranked().Of(raw_[value]); }

  Band band_ = Band(kDumped, kOfMany, 5, kBandBeta);
  double half_ = 0;
  std::vector<double> raw_;
};

TEST_F(RankingTest, ValuesWhoseIntervalsMeetMayBeTies) {
  Estimated({20, 9, 10, 3, 0});
  const std::vector<std::pair<uint64_t, uint64_t>> places = {
      {1, 1}, {2, 3}, {2, 3}, {4, 4}, {5, 5}};
  // 3 and 0 half widths: [2, 4] and [0, 1].
  for (size_t value = 0; value < places.size(); ++value) {
    EXPECT_EQ(Of(value).best, places[value].first) << value;
    EXPECT_EQ(Of(value).worst, places[value].second) << value;
  }
  EXPECT_EQ(Ranked().held(), 4u);
}

TEST_F(RankingTest, CountsWhatMayBeAmongTheLargest) {
  Estimated({20, 9, 10, 3, 0});
  const Ranking ranking = Ranked();
  EXPECT_EQ(ranking.Possible(1), 1u);
  EXPECT_EQ(ranking.Possible(2), 3u);
  EXPECT_EQ(ranking.Possible(3), 3u);
  EXPECT_EQ(ranking.Possible(4), 4u);
  EXPECT_EQ(ranking.Possible(5), 5u);
  EXPECT_EQ(ranking.Possible(50), 5u);
}

// A value that is near both of its neighbours, which are not near each other.
TEST_F(RankingTest, NearnessDoesNotCarryOver) {
  Estimated({13, 11.5, 10, 0.5, 0.5});
  EXPECT_EQ(Of(0).worst, 2u);
  EXPECT_EQ(Of(1).best, 1u);
  EXPECT_EQ(Of(1).worst, 3u);
  EXPECT_EQ(Of(2).best, 2u);
  EXPECT_EQ(Of(2).worst, 3u);
  EXPECT_EQ(Ranked().Possible(1), 2u);
  // Nobody may hold either of the others.
  EXPECT_EQ(Of(3).low, 0);
  EXPECT_EQ(Of(3).worst, 5u);
  EXPECT_EQ(Of(4).best, 4u);
  EXPECT_EQ(Ranked().held(), 3u);
}

TEST_F(RankingTest, NothingIsSureOfEstimatesThatAreAlike) {
  Estimated({0.2, 0.1, 0, -0.1, -3});
  for (size_t value = 0; value < 5; ++value) {
    EXPECT_EQ(Of(value).best, 1u);
    EXPECT_EQ(Of(value).worst, 5u);
  }
  EXPECT_EQ(Ranked().Possible(1), 5u);
  EXPECT_EQ(Ranked().held(), 0u);
}

}  // namespace
}  // namespace tombola::collector
