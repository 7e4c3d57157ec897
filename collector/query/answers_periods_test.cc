// Answers about some of a task's periods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/query/answers.h"
#include "collector/store/sqlite_ledger.h"
#include "common/base/time_text.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A task of 30 days with a period a day, of which the first six are over and the fourth fell short.
// Period p has a batch of 100 + p submissions, all of value p.
class AnswersPeriodsTest : public ::testing::Test {
 protected:
  AnswersPeriodsTest() {
    EXPECT_TRUE(catalog_->Add(task_).ok());
    request_.set_task_id(std::string(AsView(task_->id())));
    request_.set_confidence(0.95);
    request_.set_postprocess(v1::POSTPROCESS_NONE);
    request_.mutable_histogram();
    for (const uint64_t period : {1, 2, 3, 5, 6}) Count(period);
  }
  static std::shared_ptr<const Task> Daily() {
    return MakeTestTask([](v1::Task* task) {
      task->mutable_batch_policy()->set_interval(24 * 3600);
      task->set_submissions_per_device(4);
    });
  }
  // A batch of so few good submissions that it is in no answer.
  void Quarantine(uint64_t period, int64_t good) {
    BatchRecord record;
    record.batch.fill(static_cast<uint8_t>(100 + period));
    record.of = {.task = task_->id(), .key = {}, .part = period};
    record.state = BatchState::kQuarantined;
    record.users = record.tally.submissions = record.good = good;
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  void Count(uint64_t period, uint8_t batch = 0) {
    BatchRecord record;
    record.batch.fill(static_cast<uint8_t>(batch == 0 ? period : batch));
    record.of = {.task = task_->id(), .key = {}, .part = period};
    record.state = BatchState::kCounted;
    record.users = record.tally.submissions = record.good = static_cast<int64_t>(100 + period);
    record.counts = {.tables = {{.counts = std::vector<int64_t>(20, 0)}}};
    record.counts.tables[0].counts[period] = record.good;
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  v1::Answer Ask() {
    v1::Answer answer;
    const absl::Status status = answers_.Fill(request_, &answer);
    EXPECT_TRUE(status.ok()) << status;
    return answer;
  }
  absl::Status Refusal() {
    v1::Answer answer;
    return answers_.Fill(request_, &answer);
  }
  void AskFor(uint64_t first, uint64_t last) {
    request_.set_first_period(first);
    request_.set_last_period(last);
  }
  int64_t Day(double days) const {
    return absl::ToUnixSeconds(TestTaskStart() + days * absl::Hours(24));
  }

  const std::shared_ptr<const Task> task_ = Daily();
  const std::unique_ptr<Catalog> catalog_ = *Catalog::Open(":memory:");
  const std::unique_ptr<BatchLedger> ledger_ = *SqliteLedger::Open(":memory:");
  Metrics metrics_;
  AnswerMetrics answer_metrics_{metrics_};
  FairShare budget_{{.calls = 2, .bytes = int64_t{1} << 30, .retry = absl::Seconds(1)}};
  FakeClock clock_{TestTaskStart() + absl::Hours(24 * 6 + 1)};
  Answers answers_{catalog_.get(), ledger_.get(), &budget_, &answer_metrics_, &clock_};
  v1::GetAnswerRequest request_;
};

TEST_F(AnswersPeriodsTest, OnePeriodHasItsOwnCountsAndItsOwnGuarantee) {
  AskFor(3, 3);
  const v1::Answer answer = Ask();
  EXPECT_EQ(answer.reports(), 103u);
  EXPECT_EQ(answer.guarantee().users(), 103u);
  EXPECT_EQ(answer.guarantee().batches(), 1u);
  EXPECT_EQ(answer.guarantee().submissions_per_device(), 1u) << "a device makes one in a period";
  EXPECT_EQ(answer.guarantee().epsilon(), answer.guarantee().batch_epsilon());
  EXPECT_EQ(answer.guarantee().epsilon(), *task_->scheme()->EpsilonAt(103, task_->target().delta));
  EXPECT_GT(answer.histogram().raw(3), answer.histogram().raw(2));
  EXPECT_EQ(answer.periods().first(), 3u);
  EXPECT_EQ(answer.periods().last(), 3u);
  EXPECT_EQ(answer.periods().begins(), Day(2));
  EXPECT_EQ(answer.periods().ends(), Day(3));
  EXPECT_EQ(answer.periods().missing(), 0u);
}

TEST_F(AnswersPeriodsTest, ARangeIsSummedAndNamesWhatIsMissing) {
  AskFor(2, 5);
  const v1::Answer answer = Ask();
  EXPECT_EQ(answer.reports(), 102u + 103 + 105);
  EXPECT_EQ(answer.guarantee().batches(), 3u);
  EXPECT_EQ(answer.guarantee().users(), 102u) << "the smallest of them";
  EXPECT_EQ(answer.guarantee().submissions_per_device(), 3u);
  EXPECT_GT(answer.guarantee().epsilon(), answer.guarantee().batch_epsilon());
  EXPECT_EQ(answer.periods().counted(), 3u);
  EXPECT_EQ(answer.periods().missing(), 1u);
  ASSERT_EQ(answer.periods().missing_runs_size(), 1);
  EXPECT_EQ(answer.periods().missing_runs(0).first(), 4u);
  EXPECT_EQ(answer.periods().missing_runs(0).last(), 4u);
}

TEST_F(AnswersPeriodsTest, WithoutARangeItIsAboutAllThatHaveEnded) {
  const v1::Answer answer = Ask();
  EXPECT_EQ(answer.reports(), 101u + 102 + 103 + 105 + 106);
  EXPECT_EQ(answer.guarantee().submissions_per_device(), 4u) << "of five, as the task allows";
  EXPECT_EQ(answer.periods().first(), 1u);
  EXPECT_EQ(answer.periods().last(), 6u);
  EXPECT_EQ(answer.periods().missing(), 1u);
  AskFor(1, 30);
  EXPECT_EQ(Ask().SerializeAsString(), answer.SerializeAsString());
}

TEST_F(AnswersPeriodsTest, WhoColludesHasWhatWasNotCountedToo) {
  const double local = task_->scheme()->local_epsilon();
  AskFor(3, 5);  // the fourth was not counted
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 2u);
  EXPECT_NEAR(Ask().guarantee().local_epsilon(), 3 * local, 1e-9);
  AskFor(5, 30);  // up to the seventh, which is under way
  EXPECT_NEAR(Ask().guarantee().local_epsilon(), 3 * local, 1e-9);
  AskFor(3, 3);
  EXPECT_EQ(Ask().guarantee().local_epsilon(), local);
}

// The collector has opened the fourth, and knows what a device said there.
TEST_F(AnswersPeriodsTest, AQuarantinedPeriodIsInTheGuaranteeThoughNotInTheAnswer) {
  AskFor(3, 5);
  const v1::Answer before = Ask();
  EXPECT_EQ(before.guarantee().submissions_per_device(), 2u);
  Quarantine(4, 20);
  const v1::Answer after = Ask();
  EXPECT_EQ(after.reports(), before.reports());
  EXPECT_EQ(after.guarantee().users(), 103u);
  EXPECT_EQ(after.guarantee().batch_epsilon(), before.guarantee().batch_epsilon());
  EXPECT_EQ(after.guarantee().submissions_per_device(), 3u);
  EXPECT_GT(after.guarantee().epsilon(), before.guarantee().epsilon());
  const Answered answered{
      .smallest_batch = 103, .submissions = 3, .quarantined = 1, .smallest_quarantined = 20};
  EXPECT_EQ(after.guarantee().epsilon(), GuaranteeFor(*task_, answered)->all.epsilon);
  EXPECT_EQ(after.guarantee().reason(),
            "each is in a batch of its own, so their losses compose; 1 of them may be in batches "
            "that fell short when the collector had opened them, the smallest of 20 users");
  // Of all periods there are six that it has opened, of which a device is in four.
  AskFor(1, 30);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 4u);
  EXPECT_THAT(Ask().guarantee().reason(), HasSubstr("1 of them may be"));
  // Whoever is in the answer about a period is not in the batch that fell short.
  AskFor(3, 3);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 1u);
  EXPECT_EQ(Ask().guarantee().epsilon(), *task_->scheme()->EpsilonAt(103, task_->target().delta));
}

TEST_F(AnswersPeriodsTest, AQuarantinedPeriodBesideThoseAskedForDoesNotMatter) {
  Quarantine(4, 20);
  AskFor(5, 30);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 2u);
  EXPECT_EQ(Ask().guarantee().reason(), "each is in a batch of its own, so their losses compose");
}

TEST_F(AnswersPeriodsTest, ABatchWithoutAGoodReportShowedNothing) {
  AskFor(3, 5);
  const v1::Answer before = Ask();
  Quarantine(4, 0);
  EXPECT_EQ(Ask().guarantee().SerializeAsString(), before.guarantee().SerializeAsString());
}

TEST_F(AnswersPeriodsTest, TwoBatchesOfAPeriodHoldOneSubmissionOfADevice) {
  Count(3, 33);
  AskFor(3, 3);
  const v1::Answer answer = Ask();
  EXPECT_EQ(answer.reports(), 206u);
  EXPECT_EQ(answer.guarantee().batches(), 2u);
  EXPECT_EQ(answer.guarantee().submissions_per_device(), 1u);
}

TEST_F(AnswersPeriodsTest, PeriodsCanBeNamedByTime) {
  request_.set_since(Day(1));
  request_.set_until(Day(3));  // the fourth begins then
  v1::Answer answer = Ask();
  EXPECT_EQ(answer.periods().first(), 2u);
  EXPECT_EQ(answer.periods().last(), 3u);
  request_.set_since(Day(1) + 1);
  request_.set_until(0);
  answer = Ask();
  EXPECT_EQ(answer.periods().first(), 3u);
  EXPECT_EQ(answer.periods().last(), 6u);
  request_.set_since(1);
  request_.set_until(Day(0) + 1);
  EXPECT_EQ(Ask().periods().last(), 1u);
}

TEST_F(AnswersPeriodsTest, RefusesWhatNamesNoPeriodOfTheTask) {
  AskFor(31, 31);
  EXPECT_THAT(std::string(Refusal().message()), HasSubstr("between 1 and 30"));
  AskFor(3, 2);
  EXPECT_TRUE(absl::IsInvalidArgument(Refusal()));
  AskFor(3, 3);
  request_.set_since(Day(1));
  EXPECT_THAT(std::string(Refusal().message()), HasSubstr("not by both"));
  AskFor(0, 0);
  request_.set_until(Day(1));
  EXPECT_TRUE(absl::IsInvalidArgument(Refusal())) << "no time between them";
  request_.set_since(-5);
  EXPECT_TRUE(absl::IsInvalidArgument(Refusal()));
}

TEST_F(AnswersPeriodsTest, SaysWhyThereIsNothingOfAPeriod) {
  AskFor(4, 4);
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal()));
  EXPECT_THAT(std::string(Refusal().message()), HasSubstr("period 4 has been counted: there were"));
  AskFor(7, 8);
  EXPECT_THAT(std::string(Refusal().message()),
              HasSubstr("periods 7 to 8 has been counted yet: period 7 ends "));
}

TEST_F(AnswersPeriodsTest, APeriodThatARestoreMayHaveLostIsNotBlamedOnDevicesAlone) {
  ASSERT_TRUE(
      catalog_->NoteRestore(absl::FromUnixSeconds(Day(3)), absl::FromUnixSeconds(Day(5))).ok());
  AskFor(4, 4);  // left on day 4, between the copy and the restore
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal()));
  EXPECT_THAT(
      std::string(Refusal().message()),
      HasSubstr(absl::StrCat("too few submissions (tombola status says how many expired), or "
                             "it was counted after ",
                             TimeText(absl::FromUnixSeconds(Day(3))), " and lost when")));
  clock_.Advance(absl::Hours(24));
  AskFor(7, 7);  // after the restore
  EXPECT_THAT(std::string(Refusal().message()), HasSubstr("period 7 has been counted: there were"));
  EXPECT_THAT(std::string(Refusal().message()), Not(HasSubstr("lost")));
}

TEST_F(AnswersPeriodsTest, ATaskWithoutPeriodsHasNoneToChooseFrom) {
  const auto plain = MakeTestTask();
  ASSERT_TRUE(catalog_->Add(plain).ok());
  request_.set_task_id(std::string(AsView(plain->id())));
  AskFor(1, 1);
  EXPECT_THAT(std::string(Refusal().message()), HasSubstr("has no periods"));
  EXPECT_TRUE(absl::IsInvalidArgument(answers_.Admit(request_, AnswerForm::kMessage).status()));
}

}  // namespace
}  // namespace tombola::collector
