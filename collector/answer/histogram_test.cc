#include "collector/answer/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "collector/aggregate/aggregator.h"
#include "collector/estimate/estimator.h"
#include "collector/test_batch.h"
#include "common/kind/kind.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Question {
  Postprocess postprocess = Postprocess::kPop;
  double confidence = 0.95;
  uint64_t top = 0;
  std::vector<uint64_t> values = {};
};

// The columns of the body.
struct Bins {
  explicit Bins(const v1::Histogram& body)
      : values(body.values().begin(), body.values().end()),
        labels(body.labels().begin(), body.labels().end()),
        frequencies(body.frequencies().begin(), body.frequencies().end()),
        raw(body.raw().begin(), body.raw().end()),
        standard_errors(body.standard_errors().begin(), body.standard_errors().end()),
        low(body.low().begin(), body.low().end()),
        high(body.high().begin(), body.high().end()) {}

  std::vector<uint64_t> values;
  std::vector<std::string> labels;
  std::vector<double> frequencies, raw, standard_errors, low, high;
};

class HistogramAnswererTest : public ::testing::Test {
 protected:
  HistogramAnswererTest() : task_(MakeTestTask()) {
    tally_.submissions = 1000;
    // Above and below what no value would have: about s = 0.043 of the reports.
    for (int64_t v = 0; v < 20; ++v) Cells().push_back(20 + (v * 7) % 20 * 5);
  }
  absl::Status Fill(const Question& question, v1::Answer* answer) const {
    v1::GetAnswerRequest request;
    request.set_confidence(question.confidence);
    request.mutable_histogram()->set_top(question.top);
    for (const uint64_t value : question.values) request.mutable_histogram()->add_values(value);
    return HistogramAnswerer().Fill({.task = *task_, .counts = counts_, .tally = tally_}, request,
                                    question.postprocess, answer);
  }
  Bins Ask(const Question& question) const {
    v1::Answer answer;
    const absl::Status status = Fill(question, &answer);
    EXPECT_TRUE(status.ok()) << status;
    return Bins(answer.histogram());
  }

  std::shared_ptr<const Task> task_;
  // What was counted of each value.
  std::vector<int64_t>& Cells() { return counts_.tables.front().counts; }

  Counts counts_{.tables = {{}}};
  mechanism::Tally tally_;
};

TEST_F(HistogramAnswererTest, ShowsTheWholeDomainInItsOrder) {
  const Bins bins = Ask({});
  ASSERT_EQ(bins.values.size(), 20u);
  for (uint64_t v = 0; v < 20; ++v) EXPECT_EQ(bins.values[v], v);
  EXPECT_EQ(bins.frequencies.size(), 20u);
  EXPECT_EQ(bins.raw.size(), 20u);
  EXPECT_EQ(bins.standard_errors.size(), 20u);
  EXPECT_EQ(bins.low.size(), 20u);
  EXPECT_EQ(bins.high.size(), 20u);
}

TEST_F(HistogramAnswererTest, RawIsTheUnbiasedEstimate) {
  const mechanism::Support support = task_->kind().tables()[0]->count_model().support;
  const double p = support.holder, s = support.other;
  const Bins bins = Ask({});
  for (size_t v = 0; v < 20; ++v) {
    const double share = static_cast<double>(Cells()[v]) / 1000;
    EXPECT_NEAR(bins.raw[v], (share - s) / (p - s), 1e-12) << v;
  }
}

// From devices to the answer. MaxError is a bound that Bernstein's inequality and a union over the
// domain prove for any data, so this fails with probability at most 1e-9 over the seeds.
TEST_F(HistogramAnswererTest, RawIsNearTheTruth) {
  constexpr int kDevices = 400'000;
  SeededRandom random(2026);
  const auto aggregator = MakeAggregator(task_->kind().tables()[0]);
  std::vector<double> truth(20, 0);
  for (int i = 0; i < kDevices; ++i) {
    const uint64_t value = std::min(UniformBelow(20, random), UniformBelow(20, random));
    truth[value] += 1.0 / kDevices;
    const std::string report = DrawReport(*task_, value, random);
    ASSERT_EQ(aggregator->Add(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(report.data()),
                                                  report.size())),
              mechanism::ReportState::kValid);
  }
  tally_.submissions = kDevices;
  Cells() = aggregator->counts();
  const double bound = *Estimator(*task_->kind().tables()[0]).MaxError(tally_, 1e-9);
  EXPECT_LT(bound, 0.025);  // else the test says nothing
  const Bins bins = Ask({});
  for (size_t v = 0; v < 20; ++v) EXPECT_NEAR(bins.raw[v], truth[v], bound) << v;
}

// Each band fails with probability 1/2 at most, whatever the data (Bernstein and a union over the
// domain), and the batches are independent: of 200 more than 150 fail with probability at most
// e^(-2 200 / 16) < 1e-10 by Hoeffding's inequality.
TEST_F(HistogramAnswererTest, TheBandHoldsForAllBinsAtOnce) {
  constexpr int kBatches = 200, kDevices = 1000;
  SeededRandom random(11);
  int failed = 0;
  double largest = 0, band = 0;
  tally_.submissions = kDevices;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto aggregator = MakeAggregator(task_->kind().tables()[0]);
    std::vector<double> truth(20, 0);
    for (int i = 0; i < kDevices; ++i) {
      const uint64_t value = std::min(UniformBelow(20, random), UniformBelow(20, random));
      truth[value] += 1.0 / kDevices;
      const std::string report = DrawReport(*task_, value, random);
      ASSERT_EQ(aggregator->Add(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(report.data()),
                                                    report.size())),
                mechanism::ReportState::kValid);
    }
    Cells() = aggregator->counts();
    v1::Answer answer;
    ASSERT_TRUE(Fill({.confidence = 0.5, .top = 3}, &answer).ok());
    band = answer.histogram().max_error();
    const Bins all = Ask({.confidence = 0.5});
    double off = 0;
    for (size_t v = 0; v < 20; ++v) off = std::max(off, std::abs(all.raw[v] - truth[v]));
    failed += off > band ? 1 : 0;
    largest = std::max(largest, off);
  }
  EXPECT_LE(failed, 150);
  EXPECT_LT(band, 3 * largest) << "so wide a band says nothing";
}

TEST_F(HistogramAnswererTest, TheBandIsForTheConfidenceAskedForWhateverIsShown) {
  const Estimator estimator(*task_->kind().tables()[0]);
  for (const double confidence : {0.5, 0.95, 0.999}) {
    v1::Answer one, all;
    ASSERT_TRUE(Fill({.confidence = confidence, .values = {4}}, &one).ok());
    ASSERT_TRUE(Fill({.confidence = confidence}, &all).ok());
    EXPECT_EQ(one.histogram().max_error(), *estimator.MaxError(tally_, 1 - confidence));
    EXPECT_EQ(one.histogram().max_error(), all.histogram().max_error());
    // Wider than any bin's own interval.
    for (int row = 0; row < 20; ++row) {
      EXPECT_GT(all.histogram().max_error(), all.histogram().high(row) - all.histogram().raw(row));
    }
  }
}

TEST_F(HistogramAnswererTest, PopMakesAHistogramAndLeavesRawAlone) {
  const Bins pop = Ask({.postprocess = Postprocess::kPop});
  const Bins none = Ask({.postprocess = Postprocess::kNone});
  EXPECT_NEAR(std::accumulate(pop.frequencies.begin(), pop.frequencies.end(), 0.0), 1, 1e-12);
  EXPECT_GE(*std::min_element(pop.frequencies.begin(), pop.frequencies.end()), 0);
  EXPECT_EQ(pop.raw, none.raw);
  EXPECT_EQ(none.frequencies, none.raw);
  EXPECT_LT(*std::min_element(none.frequencies.begin(), none.frequencies.end()), 0);
}

TEST_F(HistogramAnswererTest, EveryPostprocessingGetsWhatItNeeds) {
  Cells()[3] = 800;  // a value that stands out of the noise
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

TEST_F(HistogramAnswererTest, IntervalsAreCentredOnRawAndGrowWithConfidence) {
  const Estimator estimator(*task_->kind().tables()[0]);
  const Bins usual = Ask({.confidence = 0.95});
  const Bins sure = Ask({.confidence = 0.999});
  for (size_t v = 0; v < 20; ++v) {
    const double half = estimator.IntervalAt(tally_, 0.95)->HalfWidth(usual.raw[v]);
    EXPECT_DOUBLE_EQ(usual.low[v], usual.raw[v] - half);
    EXPECT_DOUBLE_EQ(usual.high[v], usual.raw[v] + half);
    EXPECT_LT(sure.low[v], usual.low[v]);
    EXPECT_GT(sure.high[v], usual.high[v]);
    // 1.96 standard errors and what small numbers add.
    EXPECT_GT(half, 1.95 * usual.standard_errors[v]);
    EXPECT_LT(half, 2.5 * usual.standard_errors[v]);
  }
}

TEST_F(HistogramAnswererTest, ErrorsShrinkWithTheReports) {
  const Bins few = Ask({});
  tally_.submissions *= 100;
  for (int64_t& count : Cells()) count *= 100;
  const Bins many = Ask({});
  for (size_t v = 0; v < 20; ++v) {
    EXPECT_NEAR(many.raw[v], few.raw[v], 1e-12);
    EXPECT_NEAR(many.standard_errors[v], few.standard_errors[v] / 10, 1e-12);
  }
}

TEST_F(HistogramAnswererTest, TopGivesTheLargestFirst) {
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

TEST_F(HistogramAnswererTest, TopBreaksTiesInTheDomainsOrder) {
  Cells().assign(20, 50);
  Cells()[7] = 90;
  EXPECT_THAT(Ask({.top = 3}).values, ElementsAre(7, 0, 1));
}

TEST_F(HistogramAnswererTest, ATopBeyondTheDomainIsTheWholeDomain) {
  EXPECT_EQ(Ask({.top = 1000}).values.size(), 20u);
}

TEST_F(HistogramAnswererTest, SaysWhatIsSureOfTheLargest) {
  tally_.submissions = 100'000;
  Cells().assign(20, 4340);  // s of the submissions: nobody
  Cells()[7] = 16'800;
  Cells()[2] = 10'600;
  v1::Answer answer;
  ASSERT_TRUE(Fill({.top = 3, .values = {2, 3, 7, 9}}, &answer).ok());
  const v1::Ranking& ranking = answer.histogram().ranking();
  EXPECT_EQ(ranking.top(), 3u);
  // The third may be any of 18, though only four are shown.
  EXPECT_THAT(answer.histogram().values(), ElementsAre(7, 2, 3));
  EXPECT_THAT(ranking.best(), ElementsAre(1, 2, 3));
  EXPECT_THAT(ranking.worst(), ElementsAre(1, 2, 20));
  EXPECT_EQ(ranking.sure(), 2u);
  EXPECT_EQ(ranking.possible(), 20u);
  EXPECT_EQ(ranking.held(), 2u);
  for (int row = 0; row < 3; ++row) {
    EXPECT_LE(ranking.low(row), std::max(answer.histogram().raw(row), 0.0));
    EXPECT_GE(ranking.high(row), answer.histogram().raw(row));
    EXPECT_LE(ranking.high(row) - ranking.low(row), 2 * answer.histogram().max_error());
  }
  ASSERT_TRUE(Fill({.top = 30}, &answer).ok());
  EXPECT_EQ(answer.histogram().ranking().top(), 20u);
  answer.Clear();
  ASSERT_TRUE(Fill({}, &answer).ok());
  EXPECT_FALSE(answer.histogram().has_ranking());
}

TEST_F(HistogramAnswererTest, ShowsTheChosenValuesInTheOrderOfTheQuestion) {
  const Bins all = Ask({});
  const Bins some = Ask({.values = {13, 2}});
  EXPECT_THAT(some.values, ElementsAre(13, 2));
  // The projection saw the whole domain.
  EXPECT_THAT(some.frequencies, ElementsAre(all.frequencies[13], all.frequencies[2]));
  EXPECT_THAT(some.low, ElementsAre(all.low[13], all.low[2]));
}

TEST_F(HistogramAnswererTest, TopPicksAmongTheChosenValues) {
  Cells().assign(20, 40);
  Cells()[3] = 90;
  Cells()[4] = 80;
  Cells()[5] = 70;
  EXPECT_THAT(Ask({.top = 2, .values = {9, 5, 4}}).values, ElementsAre(4, 5));
}

TEST_F(HistogramAnswererTest, RefusesValuesThatAreNotInTheDomain) {
  v1::Answer answer;
  const absl::Status status = Fill({.values = {0, 20}}, &answer);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("below the domain's size, 20"));
}

TEST_F(HistogramAnswererTest, NamesTheValuesAndNothingButItsBody) {
  v1::Answer answer;
  ASSERT_TRUE(Fill({.values = {13, 2}}, &answer).ok());
  EXPECT_THAT(answer.histogram().labels(), ElementsAre("v13", "v2"));
  answer.clear_histogram();
  EXPECT_EQ(answer.ByteSizeLong(), 0u);
}

TEST_F(HistogramAnswererTest, AnAnswerOfFewerBinsTakesLessMemory) {
  v1::GetAnswerRequest all, some;
  all.mutable_histogram();
  some.mutable_histogram()->set_top(3);
  for (const AnswerForm form : {AnswerForm::kMessage, AnswerForm::kText}) {
    EXPECT_LT(*HistogramAnswerer().Bytes(*task_, some, form),
              *HistogramAnswerer().Bytes(*task_, all, form));
  }
  const int64_t whole = *HistogramAnswerer().Bytes(*task_, all, AnswerForm::kMessage);
  // With the places of its rows, of which there are no more than values.
  all.mutable_histogram()->set_top(~uint64_t{0});
  EXPECT_GT(*HistogramAnswerer().Bytes(*task_, all, AnswerForm::kMessage), whole);
  EXPECT_LT(*HistogramAnswerer().Bytes(*task_, all, AnswerForm::kMessage), 2 * whole);
}

TEST_F(HistogramAnswererTest, WhatIsAskedForCountsEvenIfLittleOfItIsShown) {
  v1::GetAnswerRequest few, many;
  few.mutable_histogram()->set_top(1);
  many.mutable_histogram()->set_top(1);
  for (uint64_t v = 0; v < 20; ++v) many.mutable_histogram()->add_values(v);
  EXPECT_EQ(*HistogramAnswerer().Bytes(*task_, many, AnswerForm::kMessage) -
                *HistogramAnswerer().Bytes(*task_, few, AnswerForm::kMessage),
            20 * 16);
}

// Else a short question could have an answer that no message has room for.
TEST_F(HistogramAnswererTest, RefusesAValueTwiceAndMoreThanThereAre) {
  v1::Answer answer;
  const absl::Status status = Fill({.values = {3, 4, 3}}, &answer);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 twice"));
  v1::GetAnswerRequest many;
  for (int i = 0; i <= 20; ++i) many.mutable_histogram()->add_values(0);
  for (const AnswerForm form : {AnswerForm::kMessage, AnswerForm::kText}) {
    const auto bytes = HistogramAnswerer().Bytes(*task_, many, form);
    EXPECT_TRUE(absl::IsInvalidArgument(bytes.status())) << bytes.status();
  }
}

}  // namespace
}  // namespace tombola::collector
