#include "client/policy/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/test_task.h"
#include "tombola/v1/report.pb.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Exactly what the test task offers.
Policy ExactPolicy() {
  return {.max_epsilon = 3,
          .max_delta = 1e-6,
          .max_total_epsilon = 3,
          .max_total_delta = 1e-6,
          .max_local_epsilon = 2.0001,
          .min_batch = 5,
          .max_submissions = 1};
}

std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

TEST(CheckPolicyTest, APolicyThatLeavesAFieldUnsetIsRefused) {
  EXPECT_TRUE(CheckPolicy(ExactPolicy()).ok());
  struct Broken {
    std::function<void(Policy*)> change;
    const char* message;
  };
  const std::vector<Broken> broken = {
      {[](Policy* p) { p->max_epsilon = 0; }, "policy.max_epsilon must be set, above 0"},
      {[](Policy* p) { p->max_epsilon = -1; }, "policy.max_epsilon"},
      {[](Policy* p) { p->max_epsilon = kNan; }, "policy.max_epsilon"},
      {[](Policy* p) { p->max_delta = 0; }, "policy.max_delta must be set, in (0, 1)"},
      {[](Policy* p) { p->max_delta = 1; }, "policy.max_delta"},
      {[](Policy* p) { p->max_delta = kNan; }, "policy.max_delta"},
      {[](Policy* p) { p->max_total_epsilon = 0; },
       "policy.max_total_epsilon must be set, above 0"},
      {[](Policy* p) { p->max_total_epsilon = kNan; }, "policy.max_total_epsilon"},
      {[](Policy* p) { p->max_total_delta = 0; }, "policy.max_total_delta must be set, in (0, 1]"},
      {[](Policy* p) { p->max_total_delta = 1.1; }, "policy.max_total_delta"},
      {[](Policy* p) { p->max_total_delta = kNan; }, "policy.max_total_delta"},
      {[](Policy* p) { p->max_local_epsilon = 0; }, "policy.max_local_epsilon must be set"},
      {[](Policy* p) { p->max_local_epsilon = kNan; }, "policy.max_local_epsilon"},
      {[](Policy* p) { p->min_batch = 0; }, "policy.min_batch must be set, at least 2"},
      {[](Policy* p) { p->min_batch = 1; }, "policy.min_batch"},
      {[](Policy* p) { p->max_submissions = 0; }, "policy.max_submissions must be at least 1"},
      {[](Policy* p) { p->collector_key = "short"; }, "policy.collector_key must be 32 bytes"},
      {[](Policy* p) { p->shuffler_key = std::string(33, 'x'); },
       "policy.shuffler_key must be 32 bytes"},
  };
  for (const Broken& b : broken) {
    Policy policy = ExactPolicy();
    b.change(&policy);
    for (const absl::Status& status : {CheckPolicy(policy), CheckTask(*MakeTestTask(), policy)}) {
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << b.message << ": " << status;
      EXPECT_THAT(TextOf(status), HasSubstr(b.message));
    }
  }
}

TEST(CheckTaskTest, ATaskExactlyAsStrongAsThePolicyIsAccepted) {
  const absl::Status status = CheckTask(*MakeTestTask(), ExactPolicy());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(CheckTaskTest, AnyLocalEpsilonIsAcceptedUnderAnInfiniteBound) {
  Policy policy = ExactPolicy();
  policy.max_local_epsilon = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(CheckTask(*MakeTestTask(), policy).ok());
}

TEST(CheckTaskTest, ATaskThatIsWeakerInOneFieldIsRefusedWithBothNumbers) {
  struct Weaker {
    std::function<void(Policy*)> change;
    std::vector<const char*> message;
  };
  const std::vector<Weaker> weaker = {
      {[](Policy* p) { p->max_epsilon = 2.5; },
       {"its epsilon for a batch is 3,", "policy.max_epsilon is 2.5"}},
      {[](Policy* p) { p->max_delta = 1e-7; },
       {"its delta for a batch is 1e-06,", "policy.max_delta is 1e-07"}},
      {[](Policy* p) { p->max_local_epsilon = 1.5; },
       {"its local epsilon is 2", "policy.max_local_epsilon is 1.5"}},
      {[](Policy* p) { p->min_batch = 6; }, {"its smallest batch is 5,", "policy.min_batch is 6"}},
  };
  for (const Weaker& w : weaker) {
    Policy policy = ExactPolicy();
    w.change(&policy);
    const absl::Status status = CheckTask(*MakeTestTask(), policy);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << w.message[0] << ": " << status;
    for (const char* part : w.message) EXPECT_THAT(TextOf(status), HasSubstr(part));
  }
}

TEST(CheckTaskTest, ATaskThatAsksForMoreSubmissionsIsRefused) {
  const auto task = MakeTestTask([](v1::Task* t) { t->set_submissions_per_device(3); });
  Policy policy = ExactPolicy();
  policy.max_submissions = 2;
  const absl::Status status = CheckTask(*task, policy);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(
      TextOf(status),
      HasSubstr("the number of submissions a device may make is 3, policy.max_submissions is 2"));
  policy.max_submissions = 3;
  policy.max_total_epsilon = 7;
  EXPECT_TRUE(CheckTask(*task, policy).ok());
}

TEST(CheckTaskTest, AnotherPartysKeyIsUnauthenticated) {
  Policy policy = ExactPolicy();
  policy.collector_key = std::string(AsView(TestCollectorKey().public_key()));
  policy.shuffler_key = std::string(AsView(TestShufflerKey().public_key()));
  EXPECT_TRUE(CheckTask(*MakeTestTask(), policy).ok());

  std::swap(policy.collector_key, policy.shuffler_key);
  const absl::Status collector = CheckTask(*MakeTestTask(), policy);
  EXPECT_TRUE(absl::IsUnauthenticated(collector)) << collector;
  EXPECT_THAT(TextOf(collector), HasSubstr("policy.collector_key"));

  policy.collector_key.clear();
  const absl::Status shuffler = CheckTask(*MakeTestTask(), policy);
  EXPECT_TRUE(absl::IsUnauthenticated(shuffler)) << shuffler;
  EXPECT_THAT(TextOf(shuffler), HasSubstr("policy.shuffler_key"));
}

TEST(CheckTaskTest, WhatAllSubmissionsAmountToIsBounded) {
  // A hundred submissions in batches of epsilon 0.1 and delta 1e-6 have (10, 0.209) together.
  const auto task = MakeTestTask([](v1::Task* t) {
    v1::LocalHash* local_hash = t->mutable_mechanism()->mutable_local_hash();
    local_hash->set_blanket_threshold(
        static_cast<uint64_t>(std::ldexp(23 / (std::expm1(1.5) + 23), 64)));
    t->mutable_target()->set_epsilon(0.1);
    t->mutable_target()->set_delta(1e-6);
    t->mutable_batch_policy()->set_planned_submissions(100000);
    t->mutable_batch_policy()->set_smallest_batch(100000);
    t->set_submissions_per_device(100);
  });
  Policy policy = ExactPolicy();
  policy.max_submissions = 100;
  policy.max_total_epsilon = 10.1;
  policy.max_total_delta = 0.21;
  const absl::Status within = CheckTask(*task, policy);
  EXPECT_TRUE(within.ok()) << within;
  policy.max_total_epsilon = 9.9;
  const absl::Status epsilon = CheckTask(*task, policy);
  EXPECT_TRUE(absl::IsFailedPrecondition(epsilon)) << epsilon;
  EXPECT_THAT(TextOf(epsilon), HasSubstr("epsilon over the 100 submissions a device may make is "
                                         "10, policy.max_total_epsilon is 9.9"));
  policy.max_total_epsilon = std::numeric_limits<double>::infinity();
  policy.max_total_delta = 0.2;
  const absl::Status delta = CheckTask(*task, policy);
  EXPECT_TRUE(absl::IsFailedPrecondition(delta)) << delta;
  EXPECT_THAT(TextOf(delta), HasSubstr("is 0.2094"));
  EXPECT_THAT(TextOf(delta), HasSubstr("policy.max_total_delta is 0.2"));
}

// The same ten submissions: (1, 2.4e-5) as a group, and less than a third in periods.
TEST(CheckTaskTest, SubmissionsInPeriodsAreBoundedByTheirProduct) {
  const auto task_with = [](uint64_t interval, bool merge) {
    return MakeTestTask([&](v1::Task* t) {
      v1::LocalHash* local_hash = t->mutable_mechanism()->mutable_local_hash();
      local_hash->set_blanket_threshold(
          static_cast<uint64_t>(std::ldexp(23 / (std::expm1(1.5) + 23), 64)));
      t->mutable_target()->set_epsilon(0.1);
      t->mutable_target()->set_delta(1e-6);
      t->mutable_batch_policy()->set_planned_submissions(100000);
      t->mutable_batch_policy()->set_smallest_batch(100000);
      t->mutable_batch_policy()->set_interval(interval);
      t->mutable_batch_policy()->set_merge_periods(merge);
      t->set_submissions_per_device(10);
    });
  };
  Policy policy = ExactPolicy();
  policy.max_submissions = 10;
  policy.max_total_epsilon = 0.35;
  policy.max_total_delta = 1e-6;
  const absl::Status periods = CheckTask(*task_with(24 * 3600, false), policy);
  EXPECT_TRUE(periods.ok()) << periods;
  for (const auto& task : {task_with(0, false), task_with(24 * 3600, true)}) {
    const absl::Status group = CheckTask(*task, policy);
    EXPECT_TRUE(absl::IsFailedPrecondition(group)) << group;
    EXPECT_THAT(TextOf(group), HasSubstr("epsilon over the 10 submissions a device may make is "
                                         "1, policy.max_total_epsilon is 0.35"));
  }
}

TEST(CheckTaskTest, ATargetThatTheParametersDoNotGiveIsNotBelieved) {
  // Local epsilon 2 and five submissions do not make epsilon 0.5.
  const auto boastful = MakeTestTask([](v1::Task* t) { t->mutable_target()->set_epsilon(0.5); });
  const absl::Status status = CheckTask(*boastful, ExactPolicy());
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(
      TextOf(status),
      HasSubstr("do not give what it promises: at its epsilon its smallest batch has delta 0."));
}

TEST(CheckTaskTest, TheDishonestShareHidesNobody) {
  // A thousand make epsilon 1 of local epsilon 2, ten of them do not.
  const auto task_with = [](double share) {
    return MakeTestTask([share](v1::Task* t) {
      t->mutable_target()->set_epsilon(1);
      t->mutable_batch_policy()->set_planned_submissions(1000);
      t->mutable_batch_policy()->set_smallest_batch(1000);
      t->mutable_batch_policy()->set_dishonest_share(share);
    });
  };
  const absl::Status honest = CheckTask(*task_with(0), ExactPolicy());
  EXPECT_TRUE(honest.ok()) << honest;
  const absl::Status dishonest = CheckTask(*task_with(0.99), ExactPolicy());
  EXPECT_TRUE(absl::IsFailedPrecondition(dishonest)) << dishonest;
}

TEST(CheckTaskTest, ASmallestBatchWithNobodyHonestIsRefused) {
  const auto task = MakeTestTask([](v1::Task* t) {
    t->mutable_target()->set_epsilon(1);
    t->mutable_batch_policy()->set_dishonest_share(0.9);
  });
  ASSERT_EQ(task->Honest(5), 0);
  const absl::Status status = CheckTask(*task, ExactPolicy());
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(TextOf(status), HasSubstr("dishonest share leaves nobody honest"));
}

// Fenwick's structure over four days; of node t at most 1,001 reports a submission.
std::shared_ptr<const Task> Stream(const std::function<void(v1::Task*)>& change = nullptr) {
  return MakeTestTask([&](v1::Task* task) {
    MakeStream({0, 0, 2, 0}, task);
    if (change) change(task);
  });
}

Policy StreamPolicy() {
  Policy policy = ExactPolicy();
  policy.max_local_epsilon = std::numeric_limits<double>::infinity();
  policy.max_reports = 3 * 1001;  // of the first day, in nodes 1, 2 and 4
  return policy;
}

TEST(CheckStreamTest, ComparesTheSmallestNodeAndAllReportsOfASubmission) {
  EXPECT_TRUE(CheckTask(*Stream(), StreamPolicy()).ok()) << CheckTask(*Stream(), StreamPolicy());
  Policy crowd = StreamPolicy();
  crowd.min_batch = 6;
  EXPECT_THAT(TextOf(CheckTask(*Stream(), crowd)),
              HasSubstr("its smallest batch is 5, policy.min_batch is 6"));
  // Whatever stands beside the nodes.
  const auto larger = Stream([](v1::Task* task) {
    task->mutable_batch_policy()->set_smallest_batch(2);
    for (v1::StreamNode& node : *task->mutable_stream()->mutable_nodes()) {
      node.set_smallest_batch(node.smallest_batch() + 1);
    }
  });
  EXPECT_TRUE(CheckTask(*larger, crowd).ok()) << CheckTask(*larger, crowd);
  Policy short_calls = StreamPolicy();
  short_calls.max_reports = 3 * 1001 - 1;
  EXPECT_THAT(TextOf(CheckTask(*Stream(), short_calls)), HasSubstr("policy.max_reports is 3002"));
}

TEST(CheckStreamTest, APeriodIsHeldToThePromiseOverAllOfItsNodes) {
  for (uint64_t period = 1; period <= 4; ++period) {
    EXPECT_TRUE(CheckPeriod(*Stream(), period).ok()) << period;
  }
  EXPECT_TRUE(CheckPeriod(*MakeTestTask(), 0).ok()) << "no stream";
  // Each node by itself holds at this delta, and two together do not.
  const auto sum = Stream([](v1::Task* task) {
    for (v1::StreamNode& node : *task->mutable_stream()->mutable_nodes()) {
      v1::Dummies* const dummies = node.mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
      dummies->set_rate(dummies->rate() / 4);
    }
    const auto alone = Task::Parse(task->SerializeAsString());
    const mechanism::StreamNode& last = (*(*alone)->nodes())[4];
    task->mutable_target()->set_delta(*last.scheme->Delta(last.honest, task->target().epsilon()));
  });
  EXPECT_TRUE(CheckPeriod(*sum, 4).ok()) << "in one node";
  for (uint64_t period = 1; period <= 3; ++period) {
    const absl::Status status = CheckPeriod(*sum, period);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(TextOf(status), HasSubstr(absl::StrCat("period ", period, " has delta")));
  }
}

KeyList ListOf(uint64_t serial) {
  v1::KeyList wire;
  wire.set_serial(serial);
  wire.set_issued(absl::ToUnixSeconds(TestTaskStart()));
  const std::string bytes = wire.SerializeAsString();
  return *KeyList::Verify(bytes, TestCollectorKey().Sign(absl::StrCat(kKeyListContext, bytes)),
                          TestCollectorKey().public_key());
}

HpkeKey KeyThatLives(absl::Duration life) {
  return {.not_before = TestTaskStart(), .not_after = TestTaskStart() + life};
}

TEST(CheckKeysTest, AnOlderListThanOneSeenBeforeIsRefused) {
  const auto task = MakeTestTask();
  const HpkeKey key = KeyThatLives(absl::Hours(1));
  EXPECT_TRUE(CheckKeys(ListOf(7), {key}, {}, *task).ok());
  EXPECT_TRUE(CheckKeys(ListOf(7), {key}, ListOf(7).version(), *task).ok());
  const absl::Status status = CheckKeys(ListOf(7), {key}, ListOf(8).version(), *task);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(TextOf(status), HasSubstr("serial is 7, but 8 was seen before"));
}

TEST(CheckKeysTest, OtherKeysUnderASerialThatWasSeenAreRefused) {
  const auto task = MakeTestTask();
  const HpkeKey key = KeyThatLives(absl::Hours(1));
  KeyListVersion seen = ListOf(7).version();
  seen.keys[0] ^= 1;
  const absl::Status status = CheckKeys(ListOf(7), {key}, seen, *task);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(TextOf(status), HasSubstr("7, and other keys"));
  EXPECT_TRUE(CheckKeys(ListOf(8), {key}, seen, *task).ok());
}

TEST(CheckKeysTest, AKeyThatLivesShorterThanTheIntervalIsRefused) {
  const auto task =
      MakeTestTask([](v1::Task* t) { t->mutable_batch_policy()->set_interval(3600); });
  EXPECT_TRUE(CheckKeys(ListOf(1), {KeyThatLives(absl::Hours(1))}, {}, *task).ok());
  const absl::Status status =
      CheckKeys(ListOf(1), {KeyThatLives(absl::Hours(1) - absl::Seconds(1))}, {}, *task);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(TextOf(status), HasSubstr("shorter than the task's interval"));
  EXPECT_TRUE(CheckKeys(ListOf(1), {KeyThatLives(absl::Seconds(1))}, {}, *MakeTestTask()).ok());
}

TEST(CheckAgeTest, AListOlderThanTheTaskAllowsOrFromTheFutureIsRefused) {
  const auto task = MakeTestTask([](v1::Task* t) { t->set_key_list_age(7200); });
  const KeyList list = ListOf(7);  // of the task's beginning
  const auto check = [&](absl::Duration later) {
    return CheckAge(list, *task, TestTaskStart() + later);
  };
  EXPECT_TRUE(check(absl::ZeroDuration()).ok());
  EXPECT_TRUE(check(absl::Hours(2)).ok());
  EXPECT_TRUE(check(-absl::Hours(1)).ok());
  const absl::Status old = check(absl::Hours(2) + absl::Seconds(1));
  EXPECT_TRUE(absl::IsUnavailable(old)) << old;
  EXPECT_THAT(TextOf(old), HasSubstr("2h1s old, and the task allows 2h"));
  const absl::Status ahead = check(-absl::Hours(1) - absl::Seconds(1));
  EXPECT_TRUE(absl::IsUnavailable(ahead)) << ahead;
  EXPECT_THAT(TextOf(ahead), HasSubstr("from the future"));
}

}  // namespace
}  // namespace tombola::client
