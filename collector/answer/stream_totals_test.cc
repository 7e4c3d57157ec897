#include "collector/answer/stream_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "common/kind/kind.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint32_t> FenwickStarts(uint32_t periods) {
  std::vector<uint32_t> start;
  for (uint32_t t = 1; t <= periods; ++t) start.push_back(t - (t & (~t + 1)));
  return start;
}

// A stream of which period p has 100 p devices: as many as p of value 1, p^2 of value 2, the rest
// of value 0; and nodes whose counts are exact but for what their noise has on average.
class StreamTotalsTest : public ::testing::Test {
 protected:
  void Make(const std::vector<uint32_t>& start, const std::set<uint64_t>& void_nodes = {}) {
    task_ = MakeTestTask([&](v1::Task* wire) { MakeStream(start, wire); });
    evidence_ = {.first = 1, .last = start.size()};
    evidence_.counted = [void_nodes](uint64_t node) { return !void_nodes.contains(node); };
    evidence_.read = [this](uint64_t node) -> absl::StatusOr<NodeCounts> {
      ++reads_[node];
      return Node(node);
    };
    totals_ = std::make_unique<StreamTotals>(*task_, evidence_);
  }
  static int64_t DevicesIn(int64_t period) { return 100 * period; }
  static std::vector<double> Truth(const std::vector<int64_t>& periods) {
    std::vector<double> holders(20);
    for (const int64_t p : periods) {
      holders[1] += static_cast<double>(p);
      holders[2] += static_cast<double>(p * p);
      holders[0] += static_cast<double>(DevicesIn(p) - p - p * p);
    }
    return holders;
  }
  NodeCounts Node(uint64_t node) const {
    NodeCounts found;
    std::vector<int64_t> periods;
    for (uint64_t p = task_->nodes()->FirstPeriod(node); p <= node; ++p) {
      periods.push_back(static_cast<int64_t>(p));
      found.tally.submissions += DevicesIn(static_cast<int64_t>(p));
    }
    const mechanism::CountModel model = Model(node);
    found.counts.tables.resize(1);
    for (const double holders : Truth(periods)) {
      // Rounded, so that the estimate is off by what is cut off.
      found.counts.tables[0].counts.push_back(
          static_cast<int64_t>(holders + mechanism::Background(model, found.tally)));
    }
    return found;
  }
  mechanism::CountModel Model(uint64_t node) const {
    return task_->kind().TablesOf(node)[0]->count_model();
  }
  // Of the sum's noise, by what it is of.
  double VarianceOf(const std::vector<int64_t>& nodes) const {
    double variance = 0;
    for (const int64_t node : nodes) {
      const auto number = static_cast<uint64_t>(node);
      variance +=
          static_cast<double>(Node(number).tally.submissions) * Model(number).noise_variance;
    }
    return variance;
  }
  void ExpectSum(const RangeSum& range, const std::vector<int64_t>& periods,
                 const std::vector<int64_t>& nodes) const {
    const std::vector<double> truth = Truth(periods);
    int64_t submissions = 0;
    for (const int64_t p : periods) submissions += DevicesIn(p);
    EXPECT_EQ(range.sum.submissions, submissions);
    ASSERT_EQ(range.sum.holders.size(), truth.size());
    for (size_t value = 0; value < truth.size(); ++value) {
      EXPECT_NEAR(range.sum.holders[value], truth[value], static_cast<double>(nodes.size()));
      EXPECT_NEAR(range.sum.Variance(value), VarianceOf(nodes), 1e-6);
    }
  }

  std::shared_ptr<const Task> task_;
  NodeEvidence evidence_;
  std::unique_ptr<StreamTotals> totals_;
  std::map<uint64_t, int> reads_;
};

std::vector<int64_t> Periods(int64_t first, int64_t last) {
  std::vector<int64_t> periods;
  for (int64_t p = first; p <= last; ++p) periods.push_back(p);
  return periods;
}

TEST_F(StreamTotalsTest, ATotalIsTheSumOfItsChain) {
  Make(FenwickStarts(12));
  const auto range = totals_->Range(1, 11);
  ASSERT_TRUE(range.ok()) << range.status();
  ExpectSum(*range, Periods(1, 11), {11, 10, 8});
  EXPECT_EQ(reads_.size(), 3u) << "as many as the chain has";
}

TEST_F(StreamTotalsTest, ARangeCancelsCommonNodesAndAddsVariances) {
  Make(FenwickStarts(24));
  const auto range = totals_->Range(6, 19);
  ASSERT_TRUE(range.ok());
  ExpectSum(*range, Periods(6, 19), {19, 18, 16, 5, 4});
}

TEST_F(StreamTotalsTest, ASeriesIsWhatItsRangesAre) {
  for (const std::vector<uint32_t>& start :
       {FenwickStarts(20), std::vector<uint32_t>{0, 0, 1, 0, 4, 4, 6, 2, 8, 0},
        std::vector<uint32_t>{0, 1, 2, 3, 4, 5}, std::vector<uint32_t>{0, 0, 0, 3, 3, 1, 6}}) {
    for (const std::set<uint64_t>& void_nodes :
         {std::set<uint64_t>{}, std::set<uint64_t>{3}, std::set<uint64_t>{2, 5, 6}}) {
      Make(start, void_nodes);
      const auto last = static_cast<int64_t>(start.size());
      for (int64_t first = 1; first <= last; ++first) {
        int64_t at = first;
        const auto compare = [&](const RangeSum& found) {
          const auto alone = totals_->Range(found.first, found.last);
          EXPECT_EQ(found.last, at++);
          EXPECT_EQ(found.parts.nodes, alone->parts.nodes);
          EXPECT_EQ(found.parts.missing, alone->parts.missing);
          EXPECT_EQ(found.parts.strange, alone->parts.strange);
          EXPECT_EQ(found.sum.submissions, alone->sum.submissions);
          for (size_t value = 0; value < alone->sum.holders.size(); ++value) {
            EXPECT_NEAR(found.sum.holders[value], alone->sum.holders[value], 1e-7);
            EXPECT_NEAR(found.sum.Variance(value), alone->sum.Variance(value), 1e-7);
          }
          return absl::OkStatus();
        };
        ASSERT_TRUE(totals_->EachFrom(first, last, compare).ok());
        EXPECT_EQ(at, last + 1);
        at = first;
        ASSERT_TRUE(totals_->EachAlone(first, last, compare).ok());
        EXPECT_EQ(at, last + 1);
      }
    }
  }
}

TEST_F(StreamTotalsTest, ASeriesOfTotalsReadsEachNodeOnce) {
  Make(FenwickStarts(64));
  ASSERT_TRUE(totals_->EachFrom(1, 64, [](const RangeSum&) { return absl::OkStatus(); }).ok());
  EXPECT_EQ(reads_.size(), 64u);
  for (const auto& [node, times] : reads_) EXPECT_EQ(times, 1) << node;
}

TEST_F(StreamTotalsTest, KeepsFewSumsOfTheUsualStructures) {
  EXPECT_LE(StreamTotals::MostKept(*stream::Structure::Plain(1000)), 4);
  EXPECT_LE(StreamTotals::MostKept(*stream::Structure::Fenwick(1024)), 14);
  EXPECT_LE(StreamTotals::MostKept(*stream::Structure::Best(365, stream::Norm::kL2)), 10);
}

// As streams_and_strings.md 1.5 has it: of 12 periods in a Fenwick tree.
TEST_F(StreamTotalsTest, ALaterNodeBringsAMissingPeriodBack) {
  Make(FenwickStarts(12), {3});
  const auto three = totals_->Range(1, 3), four = totals_->Range(1, 4);
  EXPECT_THAT(three->parts.missing, ElementsAre(3));
  ExpectSum(*three, {1, 2}, {2});
  EXPECT_THAT(four->parts.missing, IsEmpty());
  ExpectSum(*four, Periods(1, 4), {4});

  Make(FenwickStarts(12), {8});
  for (int64_t last = 8; last <= 12; ++last) {
    const auto total = totals_->Range(1, last);
    EXPECT_THAT(total->parts.missing, ElementsAre(8)) << last;
    std::vector<int64_t> periods = Periods(1, last);
    periods.erase(periods.begin() + 7);
    int64_t submissions = 0;
    for (const int64_t p : periods) submissions += DevicesIn(p);
    EXPECT_EQ(total->sum.submissions, submissions);
  }
  EXPECT_THAT(totals_->Range(1, 7)->parts.missing, IsEmpty());
}

// total(4) has period 3, and total(3) lacks it: their difference has it beside period 4.
TEST_F(StreamTotalsTest, NamesAPeriodThatCouldNotBeTakenOff) {
  Make(FenwickStarts(12), {3});
  const auto fourth = totals_->Range(4, 4);
  EXPECT_THAT(fourth->parts.missing, IsEmpty());
  ASSERT_EQ(fourth->parts.strange.size(), 1u);
  EXPECT_EQ(fourth->parts.strange[0].node, 3);
  ExpectSum(*fourth, {3, 4}, {4, 2});
}

TEST_F(StreamTotalsTest, RefusesWhatTheNodesDoNotHave) {
  Make({0, 0});
  evidence_.read = [this](uint64_t node) -> absl::StatusOr<NodeCounts> {
    NodeCounts found = Node(node);
    found.counts.tables[0].counts.pop_back();
    return found;
  };
  EXPECT_EQ(totals_->Range(1, 2).status().code(), absl::StatusCode::kDataLoss);
  evidence_.read = [](uint64_t) -> absl::StatusOr<NodeCounts> {
    return absl::CancelledError("nobody waits");
  };
  EXPECT_EQ(totals_->EachFrom(1, 2, [](const RangeSum&) { return absl::OkStatus(); }).code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tombola::collector
