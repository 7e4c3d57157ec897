#include "collector/decode/estimates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/status/status.h"
#include "collector/decode/test_strings.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

// Computed by an independent program: sqrt(L/(p-s)^2 (n/g + f n p (1 - p/L))) of one level of L.
TEST(ReportModelTest, HasTheStandardDeviationOfTheReference) {
  struct Case {
    double devices, levels, range, support, holders, deviation;
  };
  for (const Case& c : {Case{657427, 3, 65536, 0.4265981, 1243, 87.54521453338573},
                        Case{1000000, 2, 131072, 0.39, 500, 46.524273444181425}}) {
    ReportModel model{.devices = c.devices, .range = c.range};
    model.gamma = (1 - c.support) / (1 - 1 / c.range);
    EXPECT_NEAR(model.Deviation(c.devices / c.levels, c.holders, 0, 1) / c.deviation, 1, 1e-9);
  }
}

TEST(ReportModelTest, UndoesWhatReportsAreExpectedToBe) {
  const ReportModel model{.devices = 1000, .range = 64, .own = 0.8, .gamma = 0.3};
  const double share = 0.07, others = 0.4, truthful = 0.8 * 0.7;
  const double expected = (1 - truthful) / 64 + truthful * (share + (1 - share - others) / 64);
  EXPECT_NEAR(model.Share(5000 * expected, 5000, others), share, 1e-12);
  EXPECT_EQ(model.Share(0, 0, 0), 0);
}

struct Moments {
  double mean = 0, deviation = 0, predicted = 0;
};

// Of the estimate of one string over many batches.
Moments Simulate(StringMessages messages, int64_t dummies, const Holders& holders,
                 const std::vector<LiveString>& live, const TestStrings& strings, int runs) {
  SeededRandom random(11);
  const int64_t devices = DevicesOf(holders);
  Moments moments;
  double squares = 0;
  for (int run = 0; run < runs; ++run) {
    const StringCounts counts = strings.Draw(holders, messages, dummies, random);
    const HolderEstimate first =
        EstimateHolders(strings.Batch(counts, devices, messages), live).front();
    moments.mean += first.holders / runs;
    squares += first.holders * first.holders / runs;
    moments.predicted += first.stderr_of / runs;
  }
  moments.deviation = std::sqrt(squares - moments.mean * moments.mean);
  return moments;
}

// Means to 4.5 standard errors. A standard deviation of 400 runs has a standard error of 3.5 % of a
// normal law's: to 16 %, with the heavier prefixes' share of chance. Together below 1e-4.
void ExpectUnbiased(const Moments& moments, double holders, int runs) {
  EXPECT_NEAR(moments.mean, holders, 4.5 * moments.deviation / std::sqrt(runs));
  EXPECT_NEAR(moments.deviation / moments.predicted, 1, 0.16);
}

class EstimateHoldersTest : public ::testing::Test {
 protected:
  static constexpr int kRuns = 400;

  // "cab" ends at the first level of four letters, the others at the second.
  const TestStrings strings_{8, 4, 256};
  const Holders holders_ = {
      {"cab", 300}, {"cabbages", 900}, {"cabbaged", 500}, {"tombola", 800}, {"x", 100}};

  std::vector<LiveString> Live(bool first_is_short) const {
    std::vector<LiveString> live = {
        {strings_.Encode("cab"), 0, 1},      {strings_.Encode("cabbages"), 1, 1},
        {strings_.Encode("cabbaged"), 1, 1}, {strings_.Encode("tombola"), 1, 1},
        {strings_.Encode("cabb"), 0, 0},     {strings_.Encode("tomb"), 0, 0}};
    if (!first_is_short) std::swap(live[0], live[1]);
    return live;
  }
};

TEST_F(EstimateHoldersTest, OfAShortStringUsesEveryLevel) {
  const Moments moments = Simulate(StringMessages::kOne, 0, holders_, Live(true), strings_, kRuns);
  ExpectUnbiased(moments, 300, kRuns);
}

TEST_F(EstimateHoldersTest, OfALongStringUsesTheLevelsWhereItIsWhole) {
  const Moments moments = Simulate(StringMessages::kOne, 0, holders_, Live(false), strings_, kRuns);
  ExpectUnbiased(moments, 900, kRuns);
}

TEST_F(EstimateHoldersTest, IsUnbiasedAmongDummies) {
  const Moments moments =
      Simulate(StringMessages::kDummies, 6000, holders_, Live(true), strings_, kRuns);
  ExpectUnbiased(moments, 300, kRuns);
}

TEST_F(EstimateHoldersTest, IsUnbiasedWhereEveryLevelIsSent) {
  const Moments moments =
      Simulate(StringMessages::kEveryLevel, 8000, holders_, Live(true), strings_, kRuns);
  ExpectUnbiased(moments, 300, kRuns);
}

// Two strings that a task's functions never tell apart are what one string with both's holders is.
TEST_F(EstimateHoldersTest, AStringThatIsNeverAloneIsStillEstimated) {
  SeededRandom random(3);
  const StringCounts counts = strings_.Draw(holders_, StringMessages::kOne, 0, random);
  std::vector<LiveString> live = Live(true);
  live.push_back(live.front());
  const auto estimates = EstimateHolders(strings_.Batch(counts, DevicesOf(holders_)), live);
  EXPECT_NEAR(estimates.front().holders, 300, 5 * estimates.front().stderr_of);
  EXPECT_EQ(estimates.front().holders, estimates.back().holders);
}

TEST(ValidateBatchTest, NamesTheFieldThatIsOutOfBounds) {
  const TestStrings strings(4, 2, 64);
  SeededRandom random(1);
  const StringCounts counts = strings.Draw({{"ab", 10}}, StringMessages::kEveryLevel, 5, random);
  const auto refused = [&](StringBatch batch, const char* message) {
    const absl::Status status = Validate(batch);
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  };
  StringBatch batch = strings.Batch(counts, 25);
  EXPECT_TRUE(Validate(batch).ok());
  batch.gamma = 1;
  refused(batch, "gamma must be in [0, 1), is 1");
  refused(strings.Batch(counts, 24), "devices must be the number of reports, 25, is 24");
  refused(strings.Batch(counts, 0), "devices must be at least 1, is 0");
  EXPECT_TRUE(Validate(strings.Batch(counts, 12, StringMessages::kEveryLevel)).ok());
  refused(strings.Batch(counts, 13, StringMessages::kEveryLevel),
          "devices must be at most 12 for 25 reports, is 13");
  refused(strings.Batch(counts, 26, StringMessages::kDummies),
          "devices must be at most 25 for 25 reports, is 26");
}

}  // namespace
}  // namespace tombola::collector
