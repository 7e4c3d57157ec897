#include "common/task/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "common/kind/kind.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

using Change = std::function<void(v1::Task*)>;

absl::StatusOr<std::shared_ptr<const Task>> ParseWith(const Change& change) {
  v1::Task task = TestTaskProto();
  change(&task);
  return Task::Parse(task.SerializeAsString());
}

TEST(TaskTest, HasTheFieldsOfTheMessage) {
  const auto task = MakeTestTask([](v1::Task* t) {
    t->mutable_batch_policy()->set_dishonest_share(0.25);
    t->mutable_batch_policy()->set_interval(86400);
    t->set_submissions_per_device(3);
  });
  EXPECT_EQ(task->name(), "test");
  EXPECT_EQ(task->domain().size(), 20);
  EXPECT_EQ(task->scheme()->name(), "local_hash");
  EXPECT_EQ(task->kind().tables()[0]->domain_size(), 20);
  EXPECT_EQ(task->target().epsilon, 3);
  EXPECT_EQ(task->target().delta, 1e-6);
  EXPECT_EQ(task->batch_policy().planned_submissions, 10);
  EXPECT_EQ(task->batch_policy().smallest_batch, 5);
  EXPECT_EQ(task->batch_policy().dishonest_share, 0.25);
  EXPECT_EQ(task->batch_policy().interval, absl::Hours(24));
  EXPECT_EQ(task->batch_policy().retry_window, absl::Hours(1));
  EXPECT_EQ(task->submissions_per_device(), 3);
  EXPECT_EQ(task->collector_key(), TestCollectorKey().public_key());
  EXPECT_EQ(task->shuffler_key(), TestShufflerKey().public_key());
  EXPECT_EQ(task->not_before(), TestTaskStart());
  EXPECT_EQ(task->not_after(), TestTaskStart() + absl::Hours(30 * 24));
}

TEST(TaskTest, KeepsItsBytesAndItsIdIsTheirSha256) {
  const std::string bytes = TestTaskProto().SerializeAsString();
  const auto task = Task::Parse(bytes);
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ((*task)->bytes(), bytes);
  EXPECT_EQ((*task)->id(), crypto::Sha256(bytes));
}

TEST(TaskTest, BytesThatMeanTheSameButDifferHaveAnotherId) {
  // The version once more, behind everything else: a valid message that serialises differently.
  const std::string bytes = absl::StrCat(TestTaskProto().SerializeAsString(), "\x08\x03");
  const auto task = Task::Parse(bytes);
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_EQ((*task)->bytes(), bytes);
  EXPECT_EQ((*task)->id(), crypto::Sha256(bytes));
  EXPECT_NE((*task)->id(), MakeTestTask()->id());
}

TEST(TaskTest, BindsTaskKeyAndPartIntoAReportAndNothingElse) {
  const auto task = MakeTestTask();
  KeyId key;
  key.fill('k');
  const std::string start = absl::StrCat("tombola/v1/report", AsView(task->id()), "kkkkkkkk");
  EXPECT_EQ(task->HpkeInfo(key, 0), start + std::string(8, '\0'));
  EXPECT_EQ(task->HpkeInfo(key, 0x0102), start + std::string("\0\0\0\0\0\0\x01\x02", 8));
}

TEST(TaskTest, HasPeriodsIfItHasAnIntervalAndDoesNotMergeThem) {
  EXPECT_FALSE(MakeTestTask()->periods().has_value());
  EXPECT_EQ(MakeTestTask()->PartAt(TestTaskStart() + absl::Hours(30)), 0u);
  EXPECT_TRUE(MakeTestTask()->HasPart(0));
  EXPECT_FALSE(MakeTestTask()->HasPart(1));
  const auto daily = [](bool merge) {
    return MakeTestTask([&](v1::Task* task) {
      task->mutable_batch_policy()->set_interval(24 * 3600);
      task->mutable_batch_policy()->set_merge_periods(merge);
    });
  };
  const auto task = daily(false);
  ASSERT_TRUE(task->periods().has_value());
  EXPECT_EQ(task->periods()->count(), 30u);
  EXPECT_EQ(task->PartAt(TestTaskStart() + absl::Hours(30)), 2u);
  EXPECT_FALSE(task->HasPart(0));
  EXPECT_TRUE(task->HasPart(30));
  EXPECT_FALSE(task->HasPart(31));
  EXPECT_FALSE(daily(true)->periods().has_value());
  EXPECT_TRUE(daily(true)->HasPart(0));
}

TEST(TaskTest, ASealedReportIs48BytesLongerThanAReport) {
  EXPECT_EQ(MakeTestTask()->sealed_bytes(), 10 + 48u);
  const auto affine = MakeTestTask([](v1::Task* t) {
    t->mutable_mechanism()->mutable_local_hash()->set_family(v1::HASH_FAMILY_AFFINE);
    t->mutable_mechanism()->mutable_local_hash()->set_range(16);
    t->mutable_mechanism()->mutable_local_hash()->set_lane_bits(32);
  });
  EXPECT_EQ(affine->sealed_bytes(), 23 + 48u);
}

TEST(TaskTest, RetryWindowsAreCountedFromTheTasksBeginning) {
  const auto task = MakeTestTask();  // windows of an hour
  const absl::Time start = TestTaskStart();
  EXPECT_EQ(task->WindowAt(start - absl::Hours(5)), 0u);
  EXPECT_EQ(task->WindowAt(start), 0u);
  EXPECT_EQ(task->WindowAt(start + absl::Hours(1) - absl::Nanoseconds(1)), 0u);
  EXPECT_EQ(task->WindowAt(start + absl::Hours(1)), 1u);
  EXPECT_EQ(task->WindowAt(start + absl::Hours(25)), 25u);
}

TEST(TaskTest, TheDishonestShareIsRoundedUp) {
  EXPECT_EQ(HonestOf(10, 0), 10);
  EXPECT_EQ(HonestOf(10, 0.1), 9);
  EXPECT_EQ(HonestOf(10, 0.11), 8);
  EXPECT_EQ(HonestOf(1, 0.01), 0);
  EXPECT_EQ(HonestOf(0, 0.5), 0);
  EXPECT_EQ(HonestOf(1000000, 0.5), 500000);
  const auto task =
      MakeTestTask([](v1::Task* t) { t->mutable_batch_policy()->set_dishonest_share(0.25); });
  EXPECT_EQ(task->Honest(10), 7);
}

TEST(DomainTest, LabelsAreFoundByNameAndNotByNumber) {
  const Domain domain(3, {"red", "green", "7"}, std::nullopt);
  EXPECT_EQ(*domain.IndexOf("green"), 1u);
  EXPECT_EQ(*domain.IndexOf("7"), 2u);
  EXPECT_EQ(domain.NameOf(0), "red");
  for (const char* text : {"0", "Red", "red ", ""}) {
    const auto index = domain.IndexOf(text);
    EXPECT_TRUE(absl::IsInvalidArgument(index.status())) << text;
    EXPECT_EQ(index.status().message(), "value must be one of the task's 3 labels");
  }
}

TEST(DomainTest, WithoutLabelsValuesAreNumbers) {
  const Domain domain(20, {}, std::nullopt);
  EXPECT_EQ(*domain.IndexOf("0"), 0u);
  EXPECT_EQ(*domain.IndexOf("19"), 19u);
  EXPECT_EQ(domain.NameOf(19), "19");
  for (const char* text : {"20", "-1", "1.5", "x", "", "18446744073709551616"}) {
    const auto index = domain.IndexOf(text);
    EXPECT_TRUE(absl::IsInvalidArgument(index.status())) << text;
    EXPECT_EQ(index.status().message(), "value must be a whole number between 0 and 19");
  }
}

TEST(DomainTest, WhatIsOutsideIsTheOtherValueWhereThereIsOne) {
  const Domain labelled(2, {"red", "other"}, 1);
  EXPECT_EQ(*labelled.IndexOf("red"), 0u);
  EXPECT_EQ(*labelled.IndexOf("blue"), 1u);
  const Domain numbered(20, {}, 19);
  EXPECT_EQ(*numbered.IndexOf("3"), 3u);
  EXPECT_EQ(*numbered.IndexOf("20"), 19u);
  EXPECT_EQ(*numbered.IndexOf("-1"), 19u);
}

TEST(TaskTest, RefusesBytesThatAreNoTask) {
  const auto garbage = Task::Parse("\xff\xff\xff");
  EXPECT_TRUE(absl::IsInvalidArgument(garbage.status()));
  EXPECT_THAT(std::string(garbage.status().message()), HasSubstr("serialised tombola.v1.Task"));
  EXPECT_TRUE(absl::IsInvalidArgument(Task::Parse("").status()));
}

TEST(TaskTest, RefusesEveryTruncation) {
  const std::string bytes = TestTaskProto().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsInvalidArgument(Task::Parse(bytes.substr(0, size)).status())) << size;
  }
}

TEST(TaskTest, RefusesMoreThan16MiB) {
  // An unknown field of 16 MiB behind a valid task.
  std::string bytes = TestTaskProto().SerializeAsString();
  absl::StrAppend(&bytes, "\xfa\x07\x80\x80\x80\x08", std::string(16 << 20, 'x'));
  const auto task = Task::Parse(bytes);
  EXPECT_TRUE(absl::IsInvalidArgument(task.status()));
  EXPECT_THAT(std::string(task.status().message()), HasSubstr("at most 16 MiB"));
}

struct Case {
  const char* name;
  Change change;
  const char* message = "";  // of the refusal
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kTooMany = (uint64_t{1} << 40) + 1;
constexpr int64_t kYear10000 = 253402300800;

v1::BatchPolicy* BatchPolicyOf(v1::Task* task) { return task->mutable_batch_policy(); }

class TaskRefusalTest : public ::testing::TestWithParam<Case> {};

TEST_P(TaskRefusalTest, NamesTheFieldAndItsBound) {
  const auto task = ParseWith(GetParam().change);
  EXPECT_TRUE(absl::IsInvalidArgument(task.status())) << task.status();
  EXPECT_THAT(std::string(task.status().message()), HasSubstr(GetParam().message));
}

#define CHANGE(statement) [](v1::Task* t) { statement; }

INSTANTIATE_TEST_SUITE_P(
    OneBrokenField, TaskRefusalTest,
    ::testing::Values(
        Case{"Version", CHANGE(t->set_version(1)), "task.version must be 3"},
        Case{"NoKind", CHANGE(t->clear_kind()), "task.kind must be histogram (1)"},
        Case{"NoName", CHANGE(t->clear_name()), "task.name must be 1 to 128 bytes"},
        Case{"LongName", CHANGE(t->set_name(std::string(129, 'n'))),
             "task.name must be 1 to 128 bytes"},
        Case{"NewlineInName", CHANGE(t->set_name("a\nb")), "without control characters"},
        Case{"DeleteInName", CHANGE(t->set_name("a\x7f")), "without control characters"},
        Case{"DomainOfOne", CHANGE(t->mutable_domain()->set_size(1)),
             "task.domain.size must be between 2 and 16777216"},
        Case{"HugeDomain", CHANGE(t->mutable_domain()->set_size((1 << 24) + 1)),
             "task.domain.size must be between 2 and 16777216"},
        Case{"FewLabels", CHANGE(t->mutable_domain()->mutable_labels()->RemoveLast()),
             "task.domain.labels must be as many as domain.size"},
        Case{"EmptyLabel", CHANGE(t->mutable_domain()->set_labels(3, "")),
             "task.domain.labels must be 1 to 256 bytes each"},
        Case{"LongLabel", CHANGE(t->mutable_domain()->set_labels(3, std::string(257, 'l'))),
             "task.domain.labels must be 1 to 256 bytes each"},
        Case{"ControlInLabel", CHANGE(t->mutable_domain()->set_labels(3, "a\tb")),
             "without control characters"},
        Case{"SameLabels", CHANGE(t->mutable_domain()->set_labels(3, "v4")),
             "task.domain.labels must be distinct: \""},
        Case{"OtherOutside", CHANGE(t->mutable_domain()->set_other(20)),
             "task.domain.other must be below domain.size"},
        Case{"NoMechanism", CHANGE(t->clear_mechanism()), "mechanism.kind"},
        Case{"NoFamily", CHANGE(t->mutable_mechanism()->mutable_local_hash()->clear_family()),
             "local_hash.family"},
        Case{"RangeNoPrime", CHANGE(t->mutable_mechanism()->mutable_local_hash()->set_range(22)),
             "local_hash.range"},
        Case{"NoBlanket",
             CHANGE(t->mutable_mechanism()->mutable_local_hash()->clear_blanket_threshold()),
             "local_hash.blanket_threshold"},
        Case{"NoEpsilon", CHANGE(t->mutable_target()->set_epsilon(0)),
             "task.target.epsilon must be between 1e-6 and 100"},
        Case{"EpsilonNan", CHANGE(t->mutable_target()->set_epsilon(kNan)), "task.target.epsilon"},
        Case{"LargeEpsilon", CHANGE(t->mutable_target()->set_epsilon(100.5)),
             "task.target.epsilon"},
        Case{"NoDelta", CHANGE(t->mutable_target()->set_delta(0)),
             "task.target.delta must be between 1e-30 and 0.5"},
        Case{"DeltaOne", CHANGE(t->mutable_target()->set_delta(1)), "task.target.delta"},
        Case{"DeltaNan", CHANGE(t->mutable_target()->set_delta(kNan)), "task.target.delta"},
        Case{"PlannedOne", CHANGE(BatchPolicyOf(t)->set_planned_submissions(1)),
             "task.batch_policy.planned_submissions must be between 2 and 2^40"},
        Case{"PlannedTooMany", CHANGE(BatchPolicyOf(t)->set_planned_submissions(kTooMany)),
             "task.batch_policy.planned_submissions"},
        Case{"SmallestOne", CHANGE(BatchPolicyOf(t)->set_smallest_batch(1)),
             "task.batch_policy.smallest_batch must be between 2 and planned_submissions"},
        Case{"SmallestAbovePlanned", CHANGE(BatchPolicyOf(t)->set_smallest_batch(11)),
             "task.batch_policy.smallest_batch"},
        Case{"NegativeShare", CHANGE(BatchPolicyOf(t)->set_dishonest_share(-0.1)),
             "task.batch_policy.dishonest_share must be in [0, 1)"},
        Case{"AllDishonest", CHANGE(BatchPolicyOf(t)->set_dishonest_share(1)),
             "task.batch_policy.dishonest_share"},
        Case{"ShareNan", CHANGE(BatchPolicyOf(t)->set_dishonest_share(kNan)),
             "task.batch_policy.dishonest_share"},
        Case{"LongInterval", CHANGE(BatchPolicyOf(t)->set_interval(316224001)),
             "task.batch_policy.interval must be at most ten years"},
        Case {
          "MergesNothing",
              CHANGE(BatchPolicyOf(t)->set_interval(0); BatchPolicyOf(t)->set_merge_periods(true)),
              "task.batch_policy.merge_periods must be false where there is no interval"
        },
        Case{"NoKeyListAge", CHANGE(t->clear_key_list_age()),
             "task.key_list_age must be between 3600 and 31622400 seconds"},
        Case{"ShortKeyListAge", CHANGE(t->set_key_list_age(3599)), "task.key_list_age"},
        Case{"LongKeyListAge", CHANGE(t->set_key_list_age(31622401)), "task.key_list_age"},
        Case{"ShortWindow", CHANGE(BatchPolicyOf(t)->set_retry_window(3599)),
             "task.batch_policy.retry_window must be between 3600 and 31622400 seconds"},
        Case{"LongWindow", CHANGE(BatchPolicyOf(t)->set_retry_window(31622401)),
             "task.batch_policy.retry_window"},
        Case{"NoSubmissions", CHANGE(t->set_submissions_per_device(0)),
             "task.submissions_per_device must be between 1 and 1000"},
        Case{"ManySubmissions", CHANGE(t->set_submissions_per_device(1001)),
             "task.submissions_per_device"},
        Case{"CollectorKey", CHANGE(t->mutable_collector_key()->pop_back()),
             "task.collector_key must be an Ed25519 public key of 32 bytes"},
        Case{"ShufflerKey", CHANGE(t->clear_shuffler_key()),
             "task.shuffler_key must be an Ed25519 public key of 32 bytes"},
        Case{"NegativeBegin", CHANGE(t->set_not_before(-1)), "task.not_before must be a Unix time"},
        Case{"EndsAsItBegins", CHANGE(t->set_not_after(t->not_before())),
             "task.not_after must be a Unix time in seconds after not_before"},
        Case{"EndsInTheYear10000", CHANGE(t->set_not_after(kYear10000)), "task.not_after"},
        Case{"ShortNonce", CHANGE(t->mutable_nonce()->pop_back()), "task.nonce must be 16 bytes"}),
    [](const auto& info) { return std::string(info.param.name); });

class TaskBoundTest : public ::testing::TestWithParam<Case> {};

TEST_P(TaskBoundTest, IsAccepted) {
  const auto task = ParseWith(GetParam().change);
  EXPECT_TRUE(task.ok()) << task.status();
}

void NumberedDomain(v1::Task* task, uint64_t size) {
  task->mutable_domain()->clear_labels();
  task->mutable_domain()->set_size(size);
  task->mutable_mechanism()->mutable_local_hash()->set_range(4099);  // a prime >= 2^12
}

INSTANTIATE_TEST_SUITE_P(
    AtItsBound, TaskBoundTest,
    ::testing::Values(
        Case{"LongestName", CHANGE(t->set_name(std::string(128, 'n')))},
        Case{"NameBeyondAscii", CHANGE(t->set_name("Gr\xc3\xb6\xc3\x9f"
                                                   "e"))},
        Case{"SmallestDomain", CHANGE(NumberedDomain(t, 2))},
        Case{"LargestDomain", CHANGE(NumberedDomain(t, 1 << 24))},
        Case{"LongestLabel", CHANGE(t->mutable_domain()->set_labels(3, std::string(256, 'l')))},
        Case{"LastIsOther", CHANGE(t->mutable_domain()->set_other(19))},
        Case{"LargestEpsilon", CHANGE(t->mutable_target()->set_epsilon(100))},
        Case{"LargestPlan", CHANGE(BatchPolicyOf(t)->set_planned_submissions(kTooMany - 1))},
        Case{"SmallestIsPlanned", CHANGE(BatchPolicyOf(t)->set_smallest_batch(10))},
        Case{"LongestInterval", CHANGE(BatchPolicyOf(t)->set_interval(316224000))},
        Case{"ShortestWindow", CHANGE(BatchPolicyOf(t)->set_retry_window(3600))},
        Case{"LongestWindow", CHANGE(BatchPolicyOf(t)->set_retry_window(31622400))},
        Case{"MostSubmissions", CHANGE(t->set_submissions_per_device(1000))},
        Case{"LastSecond", CHANGE(t->set_not_after(kYear10000 - 1))}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tombola
