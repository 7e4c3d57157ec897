#include "collector/answer/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/kind/kind.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Four periods, of which a batch of 2,000 devices a period is drawn: a tenth of them of value 3,
// the others of value 0.
class StreamAnswererTest : public ::testing::Test {
 protected:
  static constexpr int64_t kDevices = 2000, kHolders = 200;

  StreamAnswererTest() {
    evidence_ = {.first = 1, .last = 4};
    evidence_.counted = [this](uint64_t node) { return node != void_node_; };
    evidence_.read = [this](uint64_t node) -> absl::StatusOr<NodeCounts> { return Node(node); };
    request_.set_confidence(0.95);
    request_.mutable_stream();
  }
  NodeCounts Node(uint64_t node) {
    const auto periods = static_cast<int64_t>(node - task_->nodes()->FirstPeriod(node) + 1);
    NodeCounts found{.tally = {.submissions = kDevices * periods}};
    const double mean =
        mechanism::Background(task_->kind().TablesOf(node)[0]->count_model(), found.tally);
    std::vector<int64_t>& counts = found.counts.tables.emplace_back().counts;
    for (int value = 0; value < 20; ++value) {
      counts.push_back(std::poisson_distribution<int64_t>(mean)(random_));
    }
    counts[3] += kHolders * periods;
    counts[0] += (kDevices - kHolders) * periods;
    return found;
  }
  v1::StreamTotals Ask(Postprocess how = Postprocess::kNone) {
    v1::Answer answer;
    const absl::Status status = StreamAnswerer().Fill(
        {.task = *task_, .counts = {}, .tally = {}, .nodes = &evidence_}, request_, how, &answer);
    EXPECT_TRUE(status.ok()) << status;
    return answer.stream();
  }
  std::string Refusal(Postprocess how) {
    v1::Answer answer;
    return std::string(StreamAnswerer()
                           .Fill({.task = *task_, .counts = {}, .tally = {}, .nodes = &evidence_},
                                 request_, how, &answer)
                           .message());
  }

  const std::shared_ptr<const Task> task_ = MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0, 2, 0}, wire);
  });
  std::mt19937_64 random_{2026};
  uint64_t void_node_ = 0;
  NodeEvidence evidence_;
  v1::GetAnswerRequest request_;
};

TEST_F(StreamAnswererTest, OneTotalHasCountsAndTheSharesThatTheyAre) {
  const v1::StreamTotals body = Ask();
  ASSERT_EQ(body.totals_size(), 1);
  const v1::StreamTotal& total = body.totals(0);
  EXPECT_EQ(total.first(), 1u);
  EXPECT_EQ(total.last(), 4u);
  EXPECT_EQ(total.submissions(), 8000u);
  ASSERT_EQ(total.counts_size(), 20);
  ASSERT_EQ(total.shares().values_size(), 20);
  for (int row = 0; row < 20; ++row) {
    EXPECT_NEAR(total.shares().raw(row), total.counts(row) / 8000, 1e-12);
    EXPECT_NEAR(total.shares().standard_errors(row), total.count_standard_errors(row) / 8000,
                1e-12);
    EXPECT_NEAR(total.shares().low(row), total.count_low(row) / 8000, 1e-12);
    EXPECT_NEAR(total.shares().high(row), total.count_high(row) / 8000, 1e-12);
    EXPECT_GT(total.count_standard_errors(row), 0);
  }
  EXPECT_EQ(body.counted(), "fenwick, 3 nodes over a period at most");
  EXPECT_EQ(body.void_nodes_size(), 0);
}

// Totals 1, 3 and 4 have no node in common, so that the 3,000 intervals are independent. Each
// misses with probability 0.05 at most: more than 225 do with probability at most e^(-3000 0.025^2
// / (2 (0.0475 + 0.025 / 3))) < 6e-8 (Bernstein). If each did with 0.03, fewer than 30 would with
// probability at most e^(-3000 0.02^2 / (2 (0.0291 + 0.02 / 3))) < 6e-8.
TEST_F(StreamAnswererTest, IntervalsCoverTheTruth) {
  request_.mutable_stream()->set_series(true);
  int missed = 0, intervals = 0;
  for (int run = 0; run < 200; ++run) {
    const v1::StreamTotals body = Ask();
    for (const v1::StreamTotal& total : body.totals()) {
      if (total.last() == 2) continue;
      const auto periods = static_cast<double>(total.last());
      for (const int value : {0, 3, 7, 11, 19}) {
        const double truth = value == 0   ? periods * (kDevices - kHolders)
                             : value == 3 ? periods * kHolders
                                          : 0;
        ++intervals;
        if (truth < total.count_low(value) || truth > total.count_high(value)) ++missed;
      }
    }
  }
  EXPECT_EQ(intervals, 3000);
  EXPECT_LE(missed, 225);
  EXPECT_GE(missed, 30) << "they are not far too wide";
}

TEST_F(StreamAnswererTest, ASeriesHasTheSameValuesInEveryTotal) {
  request_.mutable_stream()->set_series(true);
  request_.mutable_stream()->set_top(2);
  const v1::StreamTotals body = Ask(Postprocess::kPop);
  ASSERT_EQ(body.totals_size(), 4);
  for (int i = 0; i < 4; ++i) {
    const v1::StreamTotal& total = body.totals(i);
    EXPECT_EQ(total.first(), 1u);
    EXPECT_EQ(total.last(), static_cast<uint64_t>(i) + 1);
    EXPECT_EQ(total.submissions(), static_cast<uint64_t>(kDevices * (i + 1)));
    EXPECT_THAT(total.shares().values(), ElementsAre(0, 3)) << "the largest first";
    EXPECT_EQ(total.counts_size(), 2);
  }
  // Off by noise of standard deviation 126 of 8,000.
  EXPECT_NEAR(body.totals(3).shares().frequencies(1), 0.1, 0.08);
}

TEST_F(StreamAnswererTest, ASeriesOfSinglePeriods) {
  request_.mutable_stream()->set_series(true);
  request_.mutable_stream()->set_single(true);
  request_.mutable_stream()->add_values(3);
  const v1::StreamTotals body = Ask();
  ASSERT_EQ(body.totals_size(), 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(body.totals(i).first(), static_cast<uint64_t>(i) + 1);
    EXPECT_EQ(body.totals(i).last(), static_cast<uint64_t>(i) + 1);
    EXPECT_EQ(body.totals(i).submissions(), static_cast<uint64_t>(kDevices));
    EXPECT_THAT(body.totals(i).shares().values(), ElementsAre(3));
  }
}

TEST_F(StreamAnswererTest, NamesWhatIsMissing) {
  void_node_ = 3;
  evidence_.void_nodes = {3};
  evidence_.last = 3;
  request_.mutable_stream()->set_series(true);
  const v1::StreamTotals body = Ask();
  EXPECT_THAT(body.void_nodes(), ElementsAre(3));
  ASSERT_EQ(body.totals_size(), 3);
  EXPECT_EQ(body.totals(1).missing_size(), 0);
  ASSERT_EQ(body.totals(2).missing_size(), 1);
  EXPECT_EQ(body.totals(2).missing(0).first(), 3u);
  EXPECT_EQ(body.totals(2).missing(0).last(), 3u);
  EXPECT_EQ(body.totals(2).submissions(), 2u * kDevices);
  // Alone it is nothing at all.
  evidence_.first = 3;
  request_.mutable_stream()->set_series(false);
  const v1::StreamTotals alone = Ask();
  const v1::StreamTotal& nothing = alone.totals(0);
  EXPECT_EQ(nothing.submissions(), 0u);
  EXPECT_FALSE(nothing.has_shares());
  // Once a later node is there, its total has it back; the period after it cannot be had alone.
  evidence_.first = evidence_.last = 4;
  const v1::StreamTotals last = Ask();
  const v1::StreamTotal& fourth = last.totals(0);
  ASSERT_EQ(fourth.strange_size(), 1);
  EXPECT_EQ(fourth.strange(0).first(), 3u);
  EXPECT_EQ(fourth.submissions(), 2u * kDevices);
}

TEST_F(StreamAnswererTest, RefusesWhatItCannotSay) {
  EXPECT_THAT(Refusal(Postprocess::kEm), HasSubstr("em needs the counts of one batch"));
  request_.mutable_stream()->set_single(true);
  EXPECT_THAT(Refusal(Postprocess::kNone), HasSubstr("single must be together with series"));
  request_.mutable_stream()->set_single(false);
  request_.mutable_stream()->add_values(20);
  EXPECT_THAT(Refusal(Postprocess::kNone), HasSubstr("values must be below the domain's size, 20"));
}

TEST_F(StreamAnswererTest, ASeriesTakesTheMemoryOfItsTotals) {
  const auto bytes = [&] { return *StreamAnswerer().Bytes(*task_, request_, AnswerForm::kText); };
  const int64_t one = bytes();
  request_.mutable_stream()->set_series(true);
  const int64_t all = bytes();
  EXPECT_GT(all, 3 * one / 2);
  request_.set_first_period(2);
  request_.set_last_period(3);
  EXPECT_LT(bytes(), all);
  request_.mutable_stream()->set_top(1);
  EXPECT_LT(bytes(), one);
}

TEST_F(StreamAnswererTest, RefusesASeriesThatNoMessageHolds) {
  std::vector<uint32_t> start(4096);
  for (uint32_t node = 0; node < start.size(); ++node) start[node] = node;
  const auto large = MakeTestTask([&](v1::Task* wire) {
    wire->mutable_domain()->set_size(10'000);
    wire->mutable_domain()->clear_labels();
    MakeStream(start, wire);
  });
  request_.mutable_stream()->set_series(true);
  const auto refused = StreamAnswerer().Bytes(*large, request_, AnswerForm::kMessage);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("a series of 4096 totals of 10000 values"));
  request_.mutable_stream()->set_top(10);
  EXPECT_TRUE(StreamAnswerer().Bytes(*large, request_, AnswerForm::kMessage).ok());
}

}  // namespace
}  // namespace tombola::collector
