// Streams of sets, key-value pairs and numbers, from the counts of their nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "collector/answer/stream.h"
#include "common/kind/kind.h"
#include "common/kind/number.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kDevices = 2000;  // of a period

// Four periods in a tree; what the devices of a period fill is `filled`, of every cell.
class StreamKindsTest : public ::testing::Test {
 protected:
  void Make(const std::function<void(v1::Task*)>& change) {
    task_ = MakeTestTask([&](v1::Task* wire) {
      MakeStream({0, 0, 2, 0}, wire);
      change(wire);
    });
    evidence_ = {.first = 1, .last = 4};
    evidence_.counted = [](uint64_t) { return true; };
    evidence_.read = [this](uint64_t node) -> absl::StatusOr<NodeCounts> { return Node(node); };
    request_.set_confidence(0.999999);
    request_.mutable_stream();
    filled_.assign(static_cast<size_t>(task_->kind().tables()[0]->domain_size()), 0);
  }
  NodeCounts Node(uint64_t node) {
    const auto periods = static_cast<int64_t>(node - task_->nodes()->FirstPeriod(node) + 1);
    NodeCounts found{.tally = {.submissions = kDevices * periods}};
    const double mean =
        mechanism::Background(task_->kind().TablesOf(node)[0]->count_model(), found.tally);
    std::vector<int64_t>& counts = found.counts.tables.emplace_back().counts;
    for (const int64_t filled : filled_) {
      counts.push_back(std::poisson_distribution<int64_t>(mean)(random_) + filled * periods);
    }
    return found;
  }
  absl::StatusOr<v1::StreamTotals> Ask(Postprocess how) {
    v1::Answer answer;
    const absl::Status status = StreamAnswerer().Fill(
        {.task = *task_, .counts = {}, .tally = {}, .nodes = &evidence_}, request_, how, &answer);
    if (!status.ok()) return status;
    return answer.stream();
  }

  std::shared_ptr<const Task> task_;
  std::mt19937_64 random_{2026};
  std::vector<int64_t> filled_;
  NodeEvidence evidence_;
  v1::GetAnswerRequest request_;
};

void OfSets(v1::Task* wire) {
  wire->mutable_stream()->set_of(v1::KIND_SET);
  wire->mutable_items()->set_max_items(3);
  wire->mutable_items()->set_sent(3);
}

void OfPairs(v1::Task* wire) {
  OfSets(wire);
  wire->mutable_stream()->set_of(v1::KIND_KEY_VALUE);
  wire->mutable_levels()->set_low(0);
  wire->mutable_levels()->set_high(10);
  wire->mutable_levels()->set_count(3);
}

void OfNumbers(v1::Task* wire) {
  wire->mutable_domain()->Clear();
  wire->mutable_domain()->set_size(16);
  wire->mutable_stream()->set_of(v1::KIND_NUMBER);
  wire->mutable_numbers()->add_edges(0);
  wire->mutable_numbers()->add_edges(16);
  wire->mutable_numbers()->set_branching(4);
  wire->mutable_numbers()->set_sent(2);
}

// Every interval misses with probability 1e-6 at most, and there are 4 totals of 3 values: 1.2e-5
// by the union bound. The seed is fixed.
TEST_F(StreamKindsTest, SetsHaveSharesCountsAndSizes) {
  Make(OfSets);
  // A quarter of the devices holds 3 and 7, the others nothing.
  filled_[3] = filled_[7] = kDevices / 4;
  filled_[20] = kDevices;
  filled_[21] = filled_[22] = 3 * kDevices / 4;
  request_.mutable_stream()->set_series(true);
  request_.mutable_stream()->set_top(2);
  const auto body = Ask(Postprocess::kClip);
  ASSERT_TRUE(body.ok()) << body.status();
  ASSERT_EQ(body->totals_size(), 4);
  for (const v1::StreamTotal& total : body->totals()) {
    const auto periods = static_cast<double>(total.last());
    ASSERT_EQ(total.shares().values_size(), 2);
    EXPECT_THAT(std::vector<uint64_t>(body->totals(0).shares().values().begin(),
                                      body->totals(0).shares().values().end()),
                ::testing::UnorderedElementsAre(3, 7));
    for (int row = 0; row < 2; ++row) {
      const double held = periods * kDevices / 4;
      EXPECT_LE(total.count_low(row), held);
      EXPECT_GE(total.count_high(row), held);
      EXPECT_LE(total.shares().low(row), 0.25);
      EXPECT_GE(total.shares().high(row), 0.25);
      EXPECT_NEAR(total.shares().raw(row) * periods * kDevices, total.counts(row), 1e-6);
      // The noise of at most two nodes: 160 dummies of each of 2,000 submissions, over 23 cells.
      const double node = 160.0 * kDevices / 23;
      EXPECT_NEAR(total.count_standard_errors(row), std::sqrt(node * (total.last() == 3 ? 2 : 1)),
                  0.5);
    }
    ASSERT_EQ(total.sizes().shares_size(), 4);
    EXPECT_NEAR(total.sizes().shares(2), 0.25, 0.5);
    EXPECT_LT(total.sizes().full_low(), 1e-9);
  }
}

TEST_F(StreamKindsTest, SharesOfSetsAreNotMadeToSumToOne) {
  Make(OfSets);
  const absl::Status status = Ask(Postprocess::kPop).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("do not sum to one"));
}

// As above: 4 means and 4 shares.
TEST_F(StreamKindsTest, PairsHaveMeansToo) {
  Make(OfPairs);
  // All hold key 5: half of them at the middle level, half at the highest.
  filled_[16] = filled_[17] = kDevices / 2;
  filled_[60] = filled_[61] = kDevices;
  request_.mutable_stream()->set_series(true);
  request_.mutable_stream()->set_single(true);
  request_.mutable_stream()->add_values(5);
  const auto body = Ask(Postprocess::kNone);
  ASSERT_TRUE(body.ok()) << body.status();
  for (const v1::StreamTotal& total : body->totals()) {
    EXPECT_EQ(total.submissions(), static_cast<uint64_t>(kDevices));
    ASSERT_EQ(total.means_size(), 1);
    EXPECT_LE(total.mean_low(0), 7.5);
    EXPECT_GE(total.mean_high(0), 7.5);
    EXPECT_LE(total.shares().low(0), 1);
    EXPECT_GE(total.shares().high(0), 1);
    EXPECT_EQ(total.sizes().shares_size(), 4);
  }
}

// As above: 4 means and 4 medians.
TEST_F(StreamKindsTest, NumbersHaveMeansAndQuantilesOverTime) {
  Make(OfNumbers);
  const RangeTree& tree = static_cast<const NumberKind&>(task_->kind().OfOneBatch()).cells().tree;
  for (const int64_t leaf : {4, 5, 6, 7}) {
    for (int64_t level = 0; level < tree.levels(); ++level) {
      filled_[tree.CellOf(leaf, level)] += kDevices / 4;
    }
  }
  request_.mutable_stream()->set_series(true);
  request_.mutable_stream()->add_fractions(0.5);
  request_.mutable_stream()->set_bins(4);
  const auto body = Ask(Postprocess::kPop);
  ASSERT_TRUE(body.ok()) << body.status();
  for (const v1::StreamTotal& total : body->totals()) {
    const v1::Distribution& number = total.number();
    EXPECT_FALSE(total.has_shares());
    EXPECT_EQ(number.count().value(), static_cast<double>(total.submissions()));
    EXPECT_LE(number.mean().low(), 6);
    EXPECT_GE(number.mean().high(), 6);
    ASSERT_EQ(number.quantiles_size(), 1);
    EXPECT_LE(number.quantiles(0).low(), 6);
    EXPECT_GE(number.quantiles(0).high(), 6);
    EXPECT_EQ(number.low_edges_size(), 4);
  }
  const v1::Estimate& last = body->totals(3).number().mean();
  EXPECT_LT(last.high() - last.low(), 6) << "else the intervals say nothing";
}

TEST_F(StreamKindsTest, QuestionsAreThoseOfTheKind) {
  Make(OfNumbers);
  request_.mutable_stream()->set_top(1);
  EXPECT_THAT(std::string(Ask(Postprocess::kPop).status().message()),
              HasSubstr("top and values must be absent"));
  // Whether the least that can be asked fits is looked at when a task is made.
  v1::GetAnswerRequest least = request_;
  StreamAnswerer().AskLeast(&least);
  EXPECT_TRUE(StreamAnswerer().Bytes(*task_, least, AnswerForm::kText).ok());
  Make(OfSets);
  request_.mutable_stream()->clear_top();
  request_.mutable_stream()->set_bins(2);
  EXPECT_THAT(std::string(Ask(Postprocess::kNone).status().message()),
              HasSubstr("fractions and bins must be absent"));
  request_.mutable_stream()->clear_bins();
  request_.mutable_stream()->set_series(true);
  const auto series = StreamAnswerer().Bytes(*task_, request_, AnswerForm::kText);
  ASSERT_TRUE(series.ok()) << series.status();
  request_.mutable_stream()->set_series(false);
  EXPECT_GT(*series, 3 * *StreamAnswerer().Bytes(*task_, request_, AnswerForm::kText));
}

}  // namespace
}  // namespace tombola::collector
