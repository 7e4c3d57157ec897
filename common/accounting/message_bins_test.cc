#include "common/accounting/message_bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

double TotalMass(const std::vector<MessageBin>& bins) {
  return std::accumulate(bins.begin(), bins.end(), 0.0,
                         [](double sum, const MessageBin& bin) { return sum + bin.mass; });
}

TEST(MessageBinsTest, CoversTheWholeRangeInAscendingOrder) {
  for (const int64_t trials : {int64_t{1}, int64_t{50}, int64_t{20000}, int64_t{100000000}}) {
    for (const double success : {1e-7, 0.001, 0.25, 0.999}) {
      const Binomial blankets{trials, success, 1 - success};
      const std::vector<MessageBin> bins = BinMessages(blankets, 3, PlanFineBins(blankets, 3));
      EXPECT_NEAR(TotalMass(bins), 1, 1e-11);
      EXPECT_EQ(bins.front().messages, 4);
      for (size_t i = 1; i < bins.size(); ++i) {
        EXPECT_GT(bins[i].messages, bins[i - 1].messages);
      }
    }
  }
}

TEST(MessageBinsTest, NoCoarseBinReachesIntoTheFinePart) {
  for (const int64_t mean : {200, 5000, 1000000, 300000000}) {
    const auto messages = static_cast<double>(mean);
    const BinPlan plan = PlanFineBins(mean / 2 + 3, 2 * mean, messages, 0.7 * std::sqrt(messages));
    const std::vector<int64_t> edges = BinEdges(plan);
    EXPECT_EQ(edges.front(), plan.low);
    EXPECT_EQ(edges.back(), plan.high);
    EXPECT_EQ(std::count(edges.begin(), edges.end(), plan.fine_low), 1) << mean;
    for (size_t i = 1; i < edges.size(); ++i) EXPECT_GT(edges[i], edges[i - 1]);
  }
}

// Most of these have a probability that no double holds, below the one that has nearly all.
TEST(MessageBinsTest, FindsTheMassBeyondProbabilitiesThatUnderflow) {
  for (const double failure : {1e-7, 1e-12}) {
    const Binomial blankets{49, 1 - failure, failure};
    const std::vector<MessageBin> bins = BinMessages(blankets, 0, PlanFineBins(blankets, 0));
    EXPECT_NEAR(TotalMass(bins), 1, 1e-11);
    double most = 0;
    for (const MessageBin& bin : bins) most = std::max(most, bin.mass);
    EXPECT_NEAR(most, std::pow(1 - failure, 49), 1e-11);
  }
}

TEST(MessageBinsTest, GivesEveryValueOfANarrowWindowItsOwnBin) {
  const Binomial blankets{400, 0.25, 0.75};
  const std::vector<MessageBin> bins = BinMessages(blankets, 0, PlanFineBins(blankets, 0));
  for (size_t i = 1; i + 1 < bins.size(); ++i) {
    EXPECT_EQ(bins[i + 1].messages, bins[i].messages + 1);
    EXPECT_NEAR(bins[i].mass / BinomialPmf(blankets, bins[i].messages - 1), 1, 1e-12);
  }
}

TEST(MessageBinsTest, ChargesNextToNothingToTheOpenEnds) {
  const Binomial blankets{100000000, 0.001, 0.999};
  const std::vector<MessageBin> bins = BinMessages(blankets, 0, PlanFineBins(blankets, 0));
  EXPECT_LE(bins.front().mass, 1e-30);
  EXPECT_LE(bins.back().mass, 1e-30);
}

TEST(MessageBinsTest, IsOneBinWhereNothingIsRandom) {
  const Binomial none{1000, 0, 1};
  const std::vector<MessageBin> bins = BinMessages(none, 70, PlanFineBins(none, 70));
  ASSERT_EQ(bins.size(), 1u);
  EXPECT_EQ(bins[0].messages, 71);
  EXPECT_EQ(bins[0].mass, 1);
}

}  // namespace
}  // namespace tombola::accounting
