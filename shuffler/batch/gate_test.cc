#include "shuffler/batch/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/time_text.h"
#include "tests/support/test_task.h"

namespace tombola::shuffler {
namespace {

// Local epsilon 2 and target epsilon 1: only a crowd gives it.
std::shared_ptr<const Task> CrowdTask(double dishonest = 0, int64_t smallest = 2) {
  return MakeTestTask([=](v1::Task* task) {
    task->mutable_target()->set_epsilon(1);
    task->mutable_batch_policy()->set_planned_submissions(100000);
    task->mutable_batch_policy()->set_smallest_batch(static_cast<uint64_t>(smallest));
    task->mutable_batch_policy()->set_dishonest_share(dishonest);
    task->mutable_batch_policy()->set_interval(600);
    task->mutable_batch_policy()->set_merge_periods(true);
  });
}

TEST(Gate, NeedsTheFewestSubmissionsForWhichTheAccountantCertifiesTheTarget) {
  const auto task = CrowdTask();
  const auto gate = Gate::Create(task);
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_GT(gate->needed(), 10);
  EXPECT_LE(*task->scheme()->Delta(gate->needed(), 1), 1e-6);
  EXPECT_GT(*task->scheme()->Delta(gate->needed() - 1, 1), 1e-6);
}

TEST(Gate, NeedsMoreWhenAShareIsTheObserversOwn) {
  const int64_t honest = Gate::Create(CrowdTask())->needed();
  const auto half = CrowdTask(0.5);
  const int64_t needed = Gate::Create(half)->needed();
  EXPECT_GE(half->Honest(needed), honest);
  EXPECT_LT(half->Honest(needed - 1), honest);
  EXPECT_NEAR(static_cast<double>(needed), 2.0 * static_cast<double>(honest), 2);
}

TEST(Gate, NeverReleasesBelowTheSmallestBatch) {
  EXPECT_EQ(Gate::Create(CrowdTask(0, 5000))->needed(), 5000);
}

TEST(Gate, RefusesATaskThatNoBatchCanMeet) {
  const auto task = MakeTestTask([](v1::Task* t) { t->mutable_target()->set_epsilon(0.01); });
  EXPECT_EQ(Gate::Create(task).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Gate, DecidesByCountsAndTheClockAlone) {
  const Gate gate = *Gate::Create(CrowdTask());
  const int64_t enough = gate.needed(), planned = 100000;
  struct Row {
    int64_t held;
    bool interval_ended, over;
    Verdict verdict;
  };
  const Row table[] = {
      {0, true, true, Verdict::kHold},
      {enough, false, false, Verdict::kHold},
      {enough - 1, true, false, Verdict::kHold},
      {enough, true, false, Verdict::kRelease},
      {planned - 1, false, false, Verdict::kHold},
      {planned, false, false, Verdict::kRelease},
      {enough - 1, false, true, Verdict::kDestroy},
      {enough, false, true, Verdict::kRelease},
  };
  for (const Row& row : table) {
    EXPECT_EQ(gate.Decide(row.held, 0, row.interval_ended, row.over), row.verdict)
        << row.held << " " << row.interval_ended << " " << row.over;
  }
}

TEST(Gate, TheBatchOfAPeriodLeavesWhenThePeriodIsOverAndNotBefore) {
  const Gate gate = *Gate::Create(MakeTestTask([](v1::Task* task) {  // 5 suffice, 10 are planned
    task->mutable_batch_policy()->set_interval(600);
  }));
  EXPECT_EQ(gate.Decide(5, 1, false, false), Verdict::kHold);
  EXPECT_EQ(gate.Decide(1000, 1, false, false), Verdict::kHold);
  EXPECT_EQ(gate.Decide(5, 1, false, true), Verdict::kRelease);
  EXPECT_EQ(gate.Decide(1000, 1, false, true), Verdict::kRelease);
  EXPECT_EQ(gate.Decide(4, 1, false, true), Verdict::kDestroy);
  EXPECT_EQ(gate.Explain(4, 2),
            absl::StrCat("waits for 1 more submissions: below 5 the target epsilon does not hold; "
                         "else destroyed at ",
                         TimeText(TestTaskStart() + absl::Seconds(1260)), ", after period 2"));
  EXPECT_THAT(gate.Explain(12, 1), ::testing::HasSubstr("the target holds; leaves at "));
}

// The nodes begin after 0, 0, 2 and 0, and need 5 submissions for each of their periods.
TEST(Gate, ANodeOfAStreamLeavesWithAsManyAsItNeedsWhenItIsOver) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0, 2, 0}, wire);
    wire->mutable_target()->set_epsilon(20);
  });
  const auto gate = Gate::Create(task);
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_EQ(gate->needed(), 20);
  const int64_t needed[] = {5, 10, 5, 20};
  for (uint64_t node = 1; node <= 4; ++node) {
    const int64_t enough = needed[node - 1];
    EXPECT_EQ(gate->NeededIn(node), enough);
    EXPECT_EQ(gate->Decide(1000, node, false, false), Verdict::kHold);
    EXPECT_EQ(gate->Decide(enough, node, false, true), Verdict::kRelease);
    EXPECT_EQ(gate->Decide(enough - 1, node, false, true), Verdict::kDestroy);
  }
  EXPECT_FALSE(gate->EpsilonFor(100).has_value());
  EXPECT_THAT(gate->Explain(7, 2), ::testing::HasSubstr("waits for 3 more submissions: below 10"));
  const absl::Time closes = TestTaskStart() + absl::Hours(24) + absl::Minutes(10);
  EXPECT_EQ(gate->ExplainPeriod(1, closes),
            absl::StrCat("is held for 3 nodes until ", TimeText(closes), ", after period 1"));
  EXPECT_THAT(gate->ExplainPeriod(1, closes + absl::Minutes(2)),
              ::testing::HasSubstr(absl::StrCat("is stuck since ", TimeText(closes))));
}

// Honest ones are what its noise is for, however many the policy's smallest batch has.
TEST(Gate, TheDishonestOfANodeAreTakenOff) {
  const auto gate = Gate::Create(MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0}, wire);
    wire->mutable_target()->set_epsilon(20);
    wire->mutable_batch_policy()->set_dishonest_share(0.2);
    wire->mutable_stream()->mutable_nodes(0)->set_smallest_batch(7);
    wire->mutable_stream()->mutable_nodes(1)->set_smallest_batch(13);
  }));
  ASSERT_TRUE(gate.ok()) << gate.status();
  EXPECT_EQ(gate->Decide(6, 1, false, true), Verdict::kDestroy);
  EXPECT_EQ(gate->Decide(7, 1, false, true), Verdict::kRelease);
  EXPECT_EQ(gate->Decide(12, 2, false, true), Verdict::kDestroy);
  EXPECT_EQ(gate->Decide(13, 2, false, true), Verdict::kRelease);
}

TEST(Gate, AStreamWhoseNodesTogetherGiveAwayTooMuchIsRefused) {
  const auto gate = [](const std::vector<uint32_t>& start, double epsilon) {
    const auto task = MakeTestTask([&](v1::Task* wire) {
      MakeStream(start, wire);
      wire->mutable_target()->set_epsilon(epsilon);
    });
    return std::make_pair(task, Gate::Create(task).status());
  };
  const auto plain = gate({0, 1, 2, 3}, 20).first;
  const auto one = plain->SchemeOf(1).EpsilonAt((*plain->nodes())[1].honest, 1e-6);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_TRUE(gate({0, 1, 2, 3}, 1.1 * *one).second.ok());
  // Four nodes over the first period.
  EXPECT_TRUE(absl::IsFailedPrecondition(gate({0, 0, 0, 0}, 1.1 * *one).second));
}

TEST(Gate, CountsIntervalsFromTheTasksBeginning) {
  const Gate gate = *Gate::Create(CrowdTask());
  EXPECT_EQ(gate.IntervalAt(TestTaskStart() - absl::Hours(1)), 0);
  EXPECT_EQ(gate.IntervalAt(TestTaskStart() + absl::Seconds(599)), 0);
  EXPECT_EQ(gate.IntervalAt(TestTaskStart() + absl::Seconds(600)), 1);
  EXPECT_EQ(gate.IntervalAt(TestTaskStart() + absl::Hours(1)), 6);
  EXPECT_EQ(Gate::Create(MakeTestTask())->IntervalAt(TestTaskStart() + absl::Hours(1)), 0);
}

TEST(Gate, SaysHowManyAreMissingAndWhatEpsilonWouldBe) {
  const Gate gate = *Gate::Create(CrowdTask());
  EXPECT_THAT(gate.Explain(gate.needed() - 3, 0), ::testing::HasSubstr("3 more"));
  EXPECT_FALSE(gate.EpsilonFor(1).has_value());
  EXPECT_GT(*gate.EpsilonFor(gate.needed() - 1), 1);
  EXPECT_LE(*gate.EpsilonFor(gate.needed()), 1 + 1e-5);
  EXPECT_LT(*gate.EpsilonFor(10 * gate.needed()), 0.6);
}

}  // namespace
}  // namespace tombola::shuffler
