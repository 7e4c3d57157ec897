// Many submissions: a gateway's in one call, a device's from several threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/session/session.h"
#include "client/session/session_harness.h"

namespace tombola::client {
namespace {

std::vector<std::string> Values(size_t count) {
  std::vector<std::string> values;
  for (size_t i = 0; i < count; ++i) values.push_back(absl::StrCat("v", i % 20));
  return values;
}

TEST_F(SessionTest, ReportManySplitsIntoCallsOfAThousand) {
  UseTask(Truthful);
  const auto outcome = MustCreate()->ReportMany(Values(2500));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->accepted, 2500);
  EXPECT_EQ(outcome->duplicates, 0);
  EXPECT_EQ(outcome->rejected, 0);
  const auto requests = shuffler_->requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(shuffler_->stored(), 2500u);  // so the ids are distinct
  size_t at = 0;
  for (const v1::SubmitRequest& request : requests) {
    const size_t expected = at < 2000 ? 1000 : 500;
    EXPECT_EQ(request.submission_ids().size(), 16 * expected);
    EXPECT_EQ(request.report_counts_size(), static_cast<int>(expected));
    EXPECT_EQ(request.task_id(), AsView(task_->id()));
    EXPECT_EQ(request.window(), 1u);
    const auto reports = Open(request);
    ASSERT_EQ(reports.size(), expected);
    for (const auto& report : reports) EXPECT_TRUE(Supports(report, at++ % 20));
  }
}

TEST_F(SessionTest, ReportManyCountsValuesOutsideTheDomainAsRejected) {
  const auto session = MustCreate();
  const auto outcome = session->ReportMany({"v1", "nothing", "v2", "", "v20"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->accepted, 2);
  EXPECT_EQ(outcome->rejected, 3);
  EXPECT_EQ(outcome->outside, (std::vector<size_t>{1, 3, 4}));
  EXPECT_EQ(outcome->why, std::vector<std::string>(3, "value must be one of the task's 20 labels"));
  ASSERT_EQ(shuffler_->requests().size(), 1u);
  EXPECT_EQ(Open(shuffler_->requests()[0]).size(), 2u);
}

TEST_F(SessionTest, ReportManyOfNothingValidSendsNothing) {
  const auto session = MustCreate();
  EXPECT_EQ(session->ReportMany({})->rejected, 0);
  EXPECT_EQ(session->ReportMany({"x", "y"})->rejected, 2);
  EXPECT_TRUE(shuffler_->requests().empty());
}

TEST_F(SessionTest, ReportManyCountsWhatTheShufflerSaysOfEach) {
  v1::SubmitResponse answer;
  answer.add_outcomes(v1::OUTCOME_ACCEPTED);
  answer.add_outcomes(v1::OUTCOME_DUPLICATE);
  answer.add_outcomes(v1::OUTCOME_REJECTED);
  answer.add_outcomes(v1::OUTCOME_ACCEPTED);
  shuffler_->AnswerWith(answer);
  const auto outcome = MustCreate()->ReportMany({"v1", "v2", "v3", "v4", "unknown"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->accepted, 2);
  EXPECT_EQ(outcome->duplicates, 1);
  EXPECT_EQ(outcome->rejected, 2);
}

TEST_F(SessionTest, ReportManyRetriesWithTheSameBytesAndCountsOnce) {
  shuffler_->FailSubmit(1, absl::UnavailableError("away"));
  shuffler_->LoseAnswers(1);
  const auto outcome = MustCreate()->ReportMany(Values(30));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->duplicates, 30);
  EXPECT_EQ(shuffler_->stored(), 30u);
  const auto requests = shuffler_->requests();
  ASSERT_EQ(requests.size(), 3u);
  for (const v1::SubmitRequest& request : requests) {
    EXPECT_EQ(request.SerializeAsString(), requests[0].SerializeAsString());
  }
}

TEST_F(SessionTest, ReportManyFailsWithAnAnswerOfAnotherLength) {
  v1::SubmitResponse answer;
  answer.add_outcomes(v1::OUTCOME_ACCEPTED);
  shuffler_->AnswerWith(answer);
  EXPECT_TRUE(absl::IsInternal(MustCreate()->ReportMany({"v1", "v2"}).status()));
}

TEST_F(SessionTest, ReportManyLeavesTheDevicesOwnBudgetAlone) {
  const auto session = MustCreate();
  ASSERT_TRUE(session->ReportMany(Values(5)).ok());
  EXPECT_TRUE(session->Report("v1").ok());
  EXPECT_TRUE(session->ReportMany(Values(5)).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v1")));
}

TEST_F(SessionTest, OthersAreServedWhileASubmissionIsOnItsWay) {
  const auto session = MustCreate();
  shuffler_->DuringSubmit([&](const v1::SubmitRequest&) {
    // The keys are old as well, so that every lock there is would be asked for.
    clock_->Advance(options_.key_list_age);
    EXPECT_TRUE(session->ReportMany(Values(3)).ok());
  });
  EXPECT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(shuffler_->stored(), 4u);
}

TEST_F(SessionTest, ADeviceReportsWhileAKeyListIsOnItsWay) {
  const auto session = MustCreate();
  clock_->Advance(options_.key_list_age);
  shuffler_->DuringKeyList([&] {
    EXPECT_TRUE(session->Report("v1").ok());
    EXPECT_TRUE(session->Flush().ok());
  });
  EXPECT_TRUE(session->ReportMany(Values(3)).ok());
  EXPECT_EQ(shuffler_->stored(), 4u);
}

TEST_F(SessionTest, ThreadsTakeTurnsAndShareOneBudget) {
  UseTask([](v1::Task* t) { t->set_submissions_per_device(20); });
  const auto session = MustCreate();
  shuffler_->LoseAnswers(4);
  std::atomic<int> delivered = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 5; ++j) {
        const absl::Status status = session->Report(absl::StrCat("v", i));
        if (status.ok()) ++delivered;
        if (absl::IsFailedPrecondition(status)) ++refused;
        EXPECT_TRUE(session->Flush().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(delivered, 20);
  EXPECT_EQ(refused, 20);
  EXPECT_EQ(shuffler_->stored(), 20u);
  EXPECT_EQ(shuffler_->requests().size(), 24u);
  EXPECT_EQ(shuffler_->most_at_once(), 1);
}

}  // namespace
}  // namespace tombola::client
