// What a device that takes part in several periods of a stream gives away.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "common/accounting/noise_law.h"
#include "common/accounting/product.h"
#include "common/accounting/submission_loss.h"
#include "common/task/task.h"
#include "common/task/whole_life.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;
using accounting::LossPart;

// Dummies of a batch for one value, of every node as long as it is.
std::shared_ptr<const Task> StreamOf(const std::vector<uint32_t>& start, uint32_t submissions) {
  return MakeTestTask([&](v1::Task* task) {
    MakeStream(start, task);
    task->mutable_target()->set_epsilon(2);
    task->mutable_target()->set_delta(1e-5);
    task->set_submissions_per_device(submissions);
  });
}

// The delta of one device's periods: of each node a shift by as many units as it has of them.
double DeltaOf(const Task& task, const std::vector<int>& of_node, double epsilon) {
  std::vector<LossPart> parts;
  for (size_t i = 0; i < of_node.size(); ++i) {
    if (of_node[i] == 0) continue;
    const double mean = *(*task.nodes())[i + 1].scheme->parameters().dummies;
    const auto law = accounting::PoissonNoise(mean);
    for (const LossPart& part : accounting::SeveralCells(*law, 1, of_node[i])) {
      parts.push_back(part);
    }
  }
  const auto delta = accounting::ProductDelta(parts, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

// Of the periods whose bits are set.
double DeltaOfSet(const Task& task, uint32_t set, double epsilon) {
  const auto periods = static_cast<uint32_t>(task.nodes()->count());
  std::vector<int> of_node(periods);
  for (uint32_t node = 1; node <= periods; ++node) {
    for (uint64_t t = task.nodes()->FirstPeriod(node); t <= node; ++t) {
      of_node[node - 1] += static_cast<int>(set >> (t - 1) & 1);
    }
  }
  return DeltaOf(task, of_node, epsilon);
}

// The largest over all ways to take part in at most so many periods.
double WorstDelta(const Task& task, int most, double epsilon) {
  double worst = 0;
  for (uint32_t set = 1; set < 1U << task.nodes()->count(); ++set) {
    if (__builtin_popcount(set) > most) continue;
    worst = std::max(worst, DeltaOfSet(task, set, epsilon));
  }
  return worst;
}

TEST(StreamLifeTest, OfOneSubmissionIsTheTarget) {
  const EpsilonDelta life = WholeLife(*StreamOf({0, 0, 2, 0}, 1));
  EXPECT_EQ(life.epsilon, 2);
  EXPECT_EQ(life.delta, 1e-5);
}

// Every placement of two and three periods, by the exact accountant.
TEST(StreamLifeTest, IsThatOfTheWorstPlacement) {
  for (const int most : {2, 3}) {
    const auto task = StreamOf({0, 0, 2, 0, 4, 4}, static_cast<uint32_t>(most));
    const EpsilonDelta life = WholeLife(*task);
    ASSERT_TRUE(std::isfinite(life.epsilon));
    EXPECT_EQ(life.delta, 1e-5);
    EXPECT_LE(WorstDelta(*task, most, life.epsilon), life.delta);
    EXPECT_GT(WorstDelta(*task, most, 0.999 * life.epsilon), life.delta);
  }
}

// Ten million placements are bounded, not composed: some of them, and those in a row, which cost
// most.
TEST(StreamLifeTest, BoundsPlacementsOfWhichThereAreTooMany) {
  constexpr int kPeriods = 32, kMost = 8;
  std::vector<uint32_t> start;
  for (uint32_t t = 1; t <= kPeriods; ++t) start.push_back(t - (t & -t));
  const auto task = StreamOf(start, kMost);
  const EpsilonDelta life = WholeLife(*task);
  ASSERT_TRUE(std::isfinite(life.epsilon));
  EXPECT_EQ(life.delta, 1e-5);
  SeededRandom random(1);
  double largest = 0;
  for (int i = 0; i < 60; ++i) {
    uint32_t set = 0xffU << (i % (kPeriods - kMost));
    if (i >= 30) {
      set = 0;
      while (__builtin_popcount(set) < kMost) set |= 1U << (random.Next64() % kPeriods);
    }
    EXPECT_LE(DeltaOfSet(*task, set, life.epsilon), life.delta) << set;
    largest = std::max(largest, DeltaOfSet(*task, set, 0.8 * life.epsilon));
  }
  EXPECT_GT(largest, life.delta);
}

// Submissions that share a node cost more than as many in batches of their own.
TEST(StreamLifeTest, CountsWhatSharesANodeTogether) {
  const EpsilonDelta tree = WholeLife(*StreamOf({0, 0, 2, 0}, 3));
  const EpsilonDelta plain = WholeLife(*StreamOf({0, 1, 2, 3}, 3));
  EXPECT_EQ(plain.delta, 1e-5);
  EXPECT_GT(tree.epsilon, 1.5 * plain.epsilon);
}

TEST(StreamLifeTest, OfPlainPeriodsIsThatOfAsManyBatches) {
  const auto task = StreamOf({0, 1, 2, 3}, 3);
  const auto loss = task->SchemeOf(1).Loss((*task->nodes())[1].honest, 1e-12);
  ASSERT_TRUE(loss.ok());
  const auto epsilon = accounting::EpsilonOver(*loss, 3, 1e-5);
  ASSERT_TRUE(epsilon.ok());
  EXPECT_DOUBLE_EQ(WholeLife(*task).epsilon, *epsilon);
}

// An answer about some periods is about as many submissions, wherever they are.
TEST(StreamLifeTest, OfSomeSubmissionsIsOfAsManyPeriods) {
  const auto task = StreamOf({0, 0, 2, 0}, 3);
  const EpsilonDelta two =
      OverSeveral(*task, {{.submissions = 2, .honest = 5, .one = {.epsilon = 2, .delta = 1e-5}}});
  EXPECT_DOUBLE_EQ(two.epsilon, WholeLife(*StreamOf({0, 0, 2, 0}, 2)).epsilon);
  EXPECT_LT(two.epsilon, WholeLife(*task).epsilon);
}

// Nothing is known of nodes that overlap but that a device's submissions are a group.
TEST(StreamLifeTest, OfNodesThatOverlapIsAGroup) {
  const auto task = StreamOf({0, 0, 1}, 2);
  const EpsilonDelta life = WholeLife(*task);
  EXPECT_DOUBLE_EQ(life.epsilon, 4);
  EXPECT_DOUBLE_EQ(life.delta, accounting::GroupPrivacy({2, 1e-5}, 2).delta);
}

}  // namespace
}  // namespace tombola
