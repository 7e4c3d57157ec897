#include "collector/query/guarantee.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "collector/store/sqlite_ledger.h"
#include "collector/test_batch.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

constexpr double kDelta = 1e-6;

std::shared_ptr<const Task> TaskWith(double dishonest_share, uint32_t submissions_per_device = 1) {
  return MakeTestTask([&](v1::Task* task) {
    task->mutable_target()->set_epsilon(1);
    task->mutable_target()->set_delta(kDelta);
    task->mutable_batch_policy()->set_planned_submissions(100'000);
    task->mutable_batch_policy()->set_dishonest_share(dishonest_share);
    task->set_submissions_per_device(submissions_per_device);
  });
}

std::shared_ptr<const Task> Daily(uint32_t submissions_per_device) {
  return MakeTestTask([&](v1::Task* task) {
    task->mutable_target()->set_epsilon(1);
    task->mutable_target()->set_delta(kDelta);
    task->mutable_batch_policy()->set_planned_submissions(100'000);
    task->mutable_batch_policy()->set_interval(24 * 3600);
    task->set_submissions_per_device(submissions_per_device);
  });
}

// An answer with all submissions that a device may make.
Answered Of(const Task& task, int64_t smallest_batch) {
  return {.smallest_batch = smallest_batch,
          .submissions = task.submissions_per_device(),
          .made = task.submissions_per_device()};
}

double EpsilonOf(const Task& task, int64_t honest) {
  return *task.scheme()->EpsilonAt(honest, kDelta);
}

TEST(GuaranteeTest, IsTheMechanismsEpsilonAtTheGoodReportsOfTheBatch) {
  const auto task = TaskWith(0);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 5000));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  EXPECT_EQ(guarantee->all.epsilon, EpsilonOf(*task, 5000));
  EXPECT_EQ(guarantee->all.delta, kDelta);
  EXPECT_EQ(guarantee->one.epsilon, guarantee->all.epsilon);
  EXPECT_EQ(guarantee->one.delta, kDelta);
  EXPECT_EQ(guarantee->local_epsilon, task->scheme()->local_epsilon());
  EXPECT_EQ(guarantee->users, 5000);
  EXPECT_EQ(guarantee->method, "tight");
  // The statement is about what was shuffled, not about the target.
  EXPECT_LT(guarantee->all.epsilon, task->scheme()->local_epsilon());
  EXPECT_LE(*task->scheme()->Delta(5000, guarantee->all.epsilon), kDelta);
}

TEST(GuaranteeTest, TakesOffTheDishonestShareRoundedUp) {
  const auto task = TaskWith(0.3);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 1001));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  // 300.3 foreign submissions are 301.
  EXPECT_EQ(guarantee->one.epsilon, EpsilonOf(*task, 700));
  EXPECT_EQ(guarantee->users, 1001);
}

TEST(GuaranteeTest, SaysWhatForeignReportsWouldDo) {
  const auto task = TaskWith(0);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 2000));
  EXPECT_EQ(guarantee->foreign_10.epsilon, EpsilonOf(*task, 1800));
  EXPECT_EQ(guarantee->foreign_50.epsilon, EpsilonOf(*task, 1000));
  EXPECT_LT(guarantee->all.epsilon, guarantee->foreign_10.epsilon);
  EXPECT_LT(guarantee->foreign_10.epsilon, guarantee->foreign_50.epsilon);
}

TEST(GuaranteeTest, NeverSaysLessForForeignReportsThanForTheShareThatIsAssumed) {
  const auto guarantee = GuaranteeFor(*TaskWith(0.3), Of(*TaskWith(0.3), 2000));
  EXPECT_EQ(guarantee->foreign_10.epsilon, guarantee->one.epsilon);
  EXPECT_GT(guarantee->foreign_50.epsilon, guarantee->one.epsilon);
}

TEST(GuaranteeTest, ABatchOfOneHasTheLocalEpsilonAtMost) {
  const auto task = TaskWith(0);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 1));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  EXPECT_LE(guarantee->all.epsilon, task->scheme()->local_epsilon());
  EXPECT_GT(guarantee->all.epsilon, 0.99 * task->scheme()->local_epsilon());
  // Nobody honest is left.
  EXPECT_EQ(guarantee->foreign_10.epsilon, task->scheme()->local_epsilon());
}

TEST(GuaranteeTest, SeveralSubmissionsOfADeviceStateGroupPrivacy) {
  constexpr int kSubmissions = 5;
  const auto task = TaskWith(0, kSubmissions);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 5000));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  const double single = EpsilonOf(*task, 5000);
  EXPECT_EQ(guarantee->one.epsilon, single);
  EXPECT_DOUBLE_EQ(guarantee->all.epsilon, kSubmissions * single);
  double factor = 0;  // (e^{k epsilon} - 1) / (e^epsilon - 1) is a geometric sum
  for (int i = 0; i < kSubmissions; ++i) factor += std::exp(i * single);
  EXPECT_NEAR(guarantee->all.delta, kDelta * factor, 1e-9 * kDelta * factor);
  EXPECT_GE(guarantee->all.delta, kDelta * factor * (1 - 1e-15));
  EXPECT_DOUBLE_EQ(guarantee->local_epsilon, kSubmissions * task->scheme()->local_epsilon());
}

TEST(GuaranteeTest, InPeriodsTheirLossesCompose) {
  const auto task = Daily(9);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 50'000));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  const double single = EpsilonOf(*task, 50'000);
  EXPECT_EQ(guarantee->one.epsilon, single);
  EXPECT_EQ(guarantee->all.delta, kDelta);
  EXPECT_GT(guarantee->all.epsilon, 3 * single) << "the root of so many, at least";
  EXPECT_LT(guarantee->all.epsilon, 3.5 * single);
  EXPECT_EQ(guarantee->foreign_50.delta, kDelta);
  EXPECT_LT(guarantee->all.epsilon, guarantee->foreign_10.epsilon);
  EXPECT_LT(guarantee->foreign_10.epsilon, guarantee->foreign_50.epsilon);
  EXPECT_LT(guarantee->foreign_50.epsilon, 3.5 * EpsilonOf(*task, 25'000));
  EXPECT_EQ(guarantee->reason, "each is in a batch of its own, so their losses compose");
  EXPECT_EQ(GuaranteeFor(*TaskWith(0, 9), Of(*task, 50'000))->reason,
            "without periods they may meet in one batch, so they count as a group");
  EXPECT_EQ(GuaranteeFor(*TaskWith(0), Of(*TaskWith(0), 50'000))->reason, "");
}

// Condition 5 of docs/privacy.md.
TEST(GuaranteeTest, ABatchThatWasOpenedInVainCostsWhatItsSizeSays) {
  const auto task = Daily(9);
  const auto with = [&](int64_t quarantined, int64_t smallest) {
    return *GuaranteeFor(*task, {.smallest_batch = 50'000,
                                 .submissions = 9,
                                 .made = 9,
                                 .quarantined = quarantined,
                                 .smallest_quarantined = smallest});
  };
  const Guarantee without = with(0, 0);
  const Guarantee one = with(1, 1000);
  const Guarantee two = with(2, 1000);
  const Guarantee tiny = with(1, 3);
  EXPECT_EQ(one.one.epsilon, without.one.epsilon);
  EXPECT_LT(without.all.epsilon, one.all.epsilon);
  EXPECT_LT(one.all.epsilon, two.all.epsilon);
  EXPECT_LT(one.all.epsilon, tiny.all.epsilon);
  EXPECT_GT(one.all.epsilon, EpsilonOf(*task, 1000)) << "more than that batch alone";
  EXPECT_LT(one.all.epsilon, EpsilonOf(*task, 1000) + without.all.epsilon);
  EXPECT_LE(tiny.all.epsilon, task->scheme()->local_epsilon() + without.all.epsilon);
  EXPECT_EQ(one.all.delta, kDelta);
  EXPECT_NE(one.reason, without.reason);
}

TEST(GuaranteeTest, WhereNothingIsProvenForABatchThatFellShortNothingIsGuaranteed) {
  const auto task = MakeTestTask([&](v1::Task* wire) {
    wire->mutable_batch_policy()->set_planned_submissions(100'000);
    wire->mutable_batch_policy()->set_interval(24 * 3600);
    wire->set_submissions_per_device(2);
    v1::Dummies* noise = wire->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    noise->set_rate(uint64_t{1} << 36);
    noise->set_honest(50'000);
    noise->set_max(1000);
  });
  const auto guarantee = GuaranteeFor(
      *task,
      {.smallest_batch = 50'000, .submissions = 2, .quarantined = 1, .smallest_quarantined = 1});
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  EXPECT_TRUE(std::isfinite(guarantee->one.epsilon));
  EXPECT_TRUE(std::isinf(guarantee->all.epsilon));
  EXPECT_EQ(guarantee->all.delta, 1);
  EXPECT_NE(guarantee->reason.find("the smallest of 1 users"), std::string::npos);
}

// All but one may have waited in the batch that fell short.
TEST(GuaranteeTest, WithoutPeriodsTheWeakestBatchDecidesForTheGroup) {
  const auto task = TaskWith(0, 3);
  const auto guarantee = GuaranteeFor(*task, {.smallest_batch = 5000,
                                              .submissions = 3,
                                              .made = 3,
                                              .quarantined = 2,
                                              .smallest_quarantined = 2000});
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  EXPECT_DOUBLE_EQ(guarantee->all.epsilon, 3 * EpsilonOf(*task, 2000));
  EXPECT_EQ(guarantee->one.epsilon, EpsilonOf(*task, 5000));
}

TEST(GuaranteeTest, EveryRowIsForTheSameSubmissions) {
  constexpr int kSubmissions = 3;
  const auto task = TaskWith(0, kSubmissions);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 5000));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  for (const auto& [row, honest] :
       {std::pair(guarantee->foreign_10, 4500), std::pair(guarantee->foreign_50, 2500)}) {
    const double single = EpsilonOf(*task, honest);
    EXPECT_DOUBLE_EQ(row.epsilon, kSubmissions * single);
    const double factor = 1 + std::exp(single) + std::exp(2 * single);
    EXPECT_NEAR(row.delta, kDelta * factor, 1e-9 * kDelta * factor);
  }
  // More that is foreign is never better, and a colluding shuffler is the worst.
  EXPECT_LT(guarantee->all.epsilon, guarantee->foreign_10.epsilon);
  EXPECT_LT(guarantee->foreign_10.epsilon, guarantee->foreign_50.epsilon);
  EXPECT_LE(guarantee->foreign_50.epsilon, guarantee->local_epsilon);
  EXPECT_LT(guarantee->one.epsilon, guarantee->all.epsilon);
}

TEST(GuaranteeTest, WhereGroupsSayNothingTheReportsSpeakForThemselves) {
  const auto task = TaskWith(0, 1000);
  const auto guarantee = GuaranteeFor(*task, Of(*task, 100));
  ASSERT_TRUE(guarantee.ok()) << guarantee.status();
  EXPECT_EQ(guarantee->all.epsilon, guarantee->local_epsilon);
  EXPECT_EQ(guarantee->all.delta, 0);
  EXPECT_EQ(guarantee->foreign_50.epsilon, guarantee->local_epsilon);
}

TEST(GuaranteeTest, OfSeveralBatchesTheLargestEpsilonIsStated) {
  const auto task = TaskWith(0.1);
  const ScratchDirectory directory;
  const auto ledger = *SqliteLedger::Open(directory.In("batches.db"));
  double largest = 0;
  uint8_t next = 0;
  for (const int64_t good : {8000, 2000, 5000}) {
    BatchRecord record;
    record.batch[0] = next++;
    record.of.task = task->id();
    record.good = record.tally.submissions = record.users = good;
    record.counts.tables.resize(1);
    record.counts.tables[0].counts.assign(20, good);
    ASSERT_TRUE(ledger->Add(record).ok());
    largest = std::max(largest, EpsilonOf(*task, task->Honest(good)));
  }
  // One that was quarantined would have the largest of all, and is in no answer.
  BatchRecord quarantined;
  quarantined.batch[0] = next;
  quarantined.of.task = task->id();
  quarantined.state = BatchState::kQuarantined;
  quarantined.good = quarantined.users = 10;
  ASSERT_TRUE(ledger->Add(quarantined).ok());

  const auto guarantee = GuaranteeFor(*task, Of(*task, ledger->Totals(task->id())->smallest_batch));
  EXPECT_EQ(guarantee->all.epsilon, largest);
  EXPECT_EQ(guarantee->users, 2000);
  EXPECT_GT(guarantee->all.epsilon, EpsilonOf(*task, task->Honest(15000)));
}

// Dummies of those who are left are dummies; of correlated noise for fewer nothing is known.
TEST(GuaranteeTest, OfAStreamSaysWhatTheNoiseOfFewerGives) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0, 2, 0}, wire);
    for (v1::StreamNode& node : *wire->mutable_stream()->mutable_nodes()) {
      node.set_smallest_batch(100 * node.smallest_batch());
      v1::Dummies& dummies = *node.mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
      dummies.set_honest(100 * dummies.honest());
      dummies.set_rate(dummies.rate() / 50);
    }
  });
  const auto with = [&](double part) {
    const auto guarantee = GuaranteeFor(*task, {.smallest_batch = 500, .part_50 = part});
    EXPECT_TRUE(guarantee.ok()) << guarantee.status();
    return *guarantee;
  };
  EXPECT_EQ(with(1).foreign_50.epsilon, task->target().epsilon);
  const double most = with(0.75).foreign_50.epsilon, half = with(0.5).foreign_50.epsilon;
  EXPECT_TRUE(std::isfinite(half));
  EXPECT_GT(half, most);
  EXPECT_EQ(with(0.5).foreign_50.delta, task->target().delta);
  EXPECT_EQ(with(0.5).foreign_10.epsilon, task->target().epsilon);
  // None is left in a node.
  EXPECT_TRUE(std::isinf(with(0).foreign_50.epsilon));
}

TEST(GuaranteeTest, WhatIsRememberedIsWhatWouldBeComputed) {
  const auto one = TaskWith(0), two = TaskWith(0.4);
  Guarantees guarantees;
  // Each question follows one that could be mistaken for it.
  for (const int64_t batch : {3000, 3000, 1000, 3000}) {
    for (const auto& task : {one, two}) {
      const auto remembered = guarantees.For(*task, Of(*task, batch));
      const auto computed = GuaranteeFor(*task, Of(*task, batch));
      ASSERT_TRUE(remembered.ok() && computed.ok());
      EXPECT_EQ(remembered->all.epsilon, computed->all.epsilon);
      EXPECT_EQ(remembered->users, batch);
      EXPECT_EQ(remembered->foreign_50.epsilon, computed->foreign_50.epsilon);
    }
  }
}

}  // namespace
}  // namespace tombola::collector
