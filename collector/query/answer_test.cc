#include "collector/query/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "collector/estimate/estimator.h"
#include "collector/test_batch.h"
#include "common/mechanism/local_hash.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AnswerTest : public ::testing::Test {
 protected:
  AnswerTest() : task_(MakeTestTask()) {
    totals_.counted_batches = 1;
    totals_.good = totals_.tally.submissions = 1000;
    totals_.smallest_batch = 1000;
    // Above and below what no value would have: about s = 0.043 of the reports.
    for (int64_t v = 0; v < 20; ++v) totals_.counts.push_back(20 + (v * 7) % 20 * 5);
  }
  Bins Ask(const Question& question) {
    const auto bins = Answer(*task_, totals_, question);
    EXPECT_TRUE(bins.ok()) << bins.status();
    return *bins;
  }

  std::shared_ptr<const Task> task_;
  TaskTotals totals_;
};

TEST_F(AnswerTest, ShowsTheWholeDomainInItsOrder) {
  const Bins bins = Ask({});
  ASSERT_EQ(bins.values.size(), 20u);
  for (uint64_t v = 0; v < 20; ++v) EXPECT_EQ(bins.values[v], v);
  EXPECT_EQ(bins.frequencies.size(), 20u);
  EXPECT_EQ(bins.raw.size(), 20u);
  EXPECT_EQ(bins.standard_errors.size(), 20u);
  EXPECT_EQ(bins.low.size(), 20u);
  EXPECT_EQ(bins.high.size(), 20u);
}

TEST_F(AnswerTest, RawIsTheUnbiasedEstimate) {
  const auto& local_hash = dynamic_cast<const mechanism::LocalHash&>(*task_->mechanism());
  const double p = local_hash.p(), s = local_hash.s();
  const Bins bins = Ask({});
  for (size_t v = 0; v < 20; ++v) {
    const double share = static_cast<double>(totals_.counts[v]) / 1000;
    EXPECT_NEAR(bins.raw[v], (share - s) / (p - s), 1e-12) << v;
  }
}

// From devices to the answer. MaxError is a bound that Bernstein's inequality and a union over the
// domain prove for any data, so this fails with probability at most 1e-9 over the seeds.
TEST_F(AnswerTest, RawIsNearTheTruth) {
  constexpr int kDevices = 400'000;
  SeededRandom random(2026);
  const auto aggregator = MakeAggregator(task_->mechanism());
  std::vector<double> truth(20, 0);
  for (int i = 0; i < kDevices; ++i) {
    const uint64_t value = std::min(UniformBelow(20, random), UniformBelow(20, random));
    truth[value] += 1.0 / kDevices;
    const std::string report = DrawReport(*task_, value, random);
    ASSERT_EQ(aggregator->Add(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(report.data()),
                                                  report.size())),
              AddResult::kCounted);
  }
  totals_.good = totals_.tally.submissions = totals_.smallest_batch = kDevices;
  totals_.counts = aggregator->counts();
  const double bound = *Estimator(*task_->mechanism()).MaxError(totals_.tally, 1e-9);
  EXPECT_LT(bound, 0.025);  // else the test says nothing
  const Bins bins = Ask({});
  for (size_t v = 0; v < 20; ++v) EXPECT_NEAR(bins.raw[v], truth[v], bound) << v;
}

TEST_F(AnswerTest, PopMakesAHistogramAndLeavesRawAlone) {
  const Bins pop = Ask({.postprocess = Postprocess::kPop});
  const Bins none = Ask({.postprocess = Postprocess::kNone});
  EXPECT_NEAR(std::accumulate(pop.frequencies.begin(), pop.frequencies.end(), 0.0), 1, 1e-12);
  EXPECT_GE(*std::min_element(pop.frequencies.begin(), pop.frequencies.end()), 0);
  EXPECT_EQ(pop.raw, none.raw);
  EXPECT_EQ(none.frequencies, none.raw);
  EXPECT_LT(*std::min_element(none.frequencies.begin(), none.frequencies.end()), 0);
}

TEST_F(AnswerTest, EveryPostprocessingGetsWhatItNeeds) {
  totals_.counts[3] = 800;  // a value that stands out of the noise
  const Bins cut = Ask({.postprocess = Postprocess::kBaseCut});
  const Bins norm_sub = Ask({.postprocess = Postprocess::kNormSub});
  const Bins em = Ask({.postprocess = Postprocess::kEm});
  const auto sum = [](const Bins& bins) {
    return std::accumulate(bins.frequencies.begin(), bins.frequencies.end(), 0.0);
  };
  EXPECT_EQ(cut.frequencies[3], cut.raw[3]);
  EXPECT_EQ(cut.frequencies[0], 0) << "its raw estimate is " << cut.raw[0];
  EXPECT_NEAR(sum(norm_sub), 1, 1e-12);
  EXPECT_EQ(norm_sub.frequencies[0], 0);
  EXPECT_NEAR(sum(em), 1, 1e-9);
  EXPECT_GT(em.frequencies[3], 0.5);
}

TEST_F(AnswerTest, IntervalsAreCentredOnRawAndGrowWithConfidence) {
  const Estimator estimator(*task_->mechanism());
  const Bins usual = Ask({.confidence = 0.95});
  const Bins sure = Ask({.confidence = 0.999});
  for (size_t v = 0; v < 20; ++v) {
    const double half = estimator.IntervalAt(totals_.tally, 0.95)->HalfWidth(usual.raw[v]);
    EXPECT_DOUBLE_EQ(usual.low[v], usual.raw[v] - half);
    EXPECT_DOUBLE_EQ(usual.high[v], usual.raw[v] + half);
    EXPECT_LT(sure.low[v], usual.low[v]);
    EXPECT_GT(sure.high[v], usual.high[v]);
    // 1.96 standard errors and what small numbers add.
    EXPECT_GT(half, 1.95 * usual.standard_errors[v]);
    EXPECT_LT(half, 2.5 * usual.standard_errors[v]);
  }
}

TEST_F(AnswerTest, ErrorsShrinkWithTheReports) {
  const Bins few = Ask({});
  totals_.tally.submissions *= 100;
  for (int64_t& count : totals_.counts) count *= 100;
  const Bins many = Ask({});
  for (size_t v = 0; v < 20; ++v) {
    EXPECT_NEAR(many.raw[v], few.raw[v], 1e-12);
    EXPECT_NEAR(many.standard_errors[v], few.standard_errors[v] / 10, 1e-12);
  }
}

TEST_F(AnswerTest, TopGivesTheLargestFirst) {
  const Bins all = Ask({});
  const Bins top = Ask({.top = 5});
  ASSERT_EQ(top.values.size(), 5u);
  std::vector<double> sorted = all.frequencies;
  std::sort(sorted.rbegin(), sorted.rend());
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(top.frequencies[i], sorted[i]);
    EXPECT_EQ(top.frequencies[i], all.frequencies[top.values[i]]);
    EXPECT_EQ(top.raw[i], all.raw[top.values[i]]);
  }
}

TEST_F(AnswerTest, TopBreaksTiesInTheDomainsOrder) {
  totals_.counts.assign(20, 50);
  totals_.counts[7] = 90;
  EXPECT_THAT(Ask({.top = 3}).values, ElementsAre(7, 0, 1));
}

TEST_F(AnswerTest, ATopBeyondTheDomainIsTheWholeDomain) {
  EXPECT_EQ(Ask({.top = 1000}).values.size(), 20u);
}

TEST_F(AnswerTest, ShowsTheChosenValuesInTheOrderOfTheQuestion) {
  const Bins all = Ask({});
  const Bins some = Ask({.values = {13, 2}});
  EXPECT_THAT(some.values, ElementsAre(13, 2));
  // The projection saw the whole domain.
  EXPECT_THAT(some.frequencies, ElementsAre(all.frequencies[13], all.frequencies[2]));
  EXPECT_THAT(some.low, ElementsAre(all.low[13], all.low[2]));
}

TEST_F(AnswerTest, TopPicksAmongTheChosenValues) {
  totals_.counts.assign(20, 40);
  totals_.counts[3] = 90;
  totals_.counts[4] = 80;
  totals_.counts[5] = 70;
  EXPECT_THAT(Ask({.top = 2, .values = {9, 5, 4}}).values, ElementsAre(4, 5));
}

TEST_F(AnswerTest, RefusesAQuestionOutOfItsBounds) {
  const auto refusal = [&](const Question& question) {
    const absl::Status status = Answer(*task_, totals_, question).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  for (const double confidence : {0.0, 1.0, -0.5, 95.0, std::nan("")}) {
    EXPECT_THAT(refusal({.confidence = confidence}), HasSubstr("confidence must be in (0, 1)"));
  }
  EXPECT_THAT(refusal({.top = -1}), HasSubstr("top"));
  EXPECT_THAT(refusal({.values = {0, 20}}), HasSubstr("below the domain's size, 20"));
}

TEST_F(AnswerTest, WithoutACountedBatchThereIsNoAnswer) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Answer(*task_, TaskTotals{}, {}).status()));
  TaskTotals quarantined;
  quarantined.quarantined_batches = 3;
  EXPECT_TRUE(absl::IsFailedPrecondition(Answer(*task_, quarantined, {}).status()));
}

}  // namespace
}  // namespace tombola::collector
