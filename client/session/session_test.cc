// What becomes of a device's own submission.
#include "client/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "client/session/session_harness.h"
#include "common/crypto/hpke_open.h"
#include "common/disk/whole_file.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST_F(SessionTest, AReportIsSealedForTheCollectorAndBoundToTheTask) {
  UseTask(Truthful);
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  ASSERT_EQ(shuffler_->requests().size(), 1u);
  const v1::SubmitRequest request = shuffler_->requests()[0];
  EXPECT_EQ(request.task_id(), AsView(task_->id()));
  EXPECT_EQ(request.key_id(), AsView(TestHpkeKeyId('a')));
  EXPECT_EQ(request.window(), 1u);  // windows of an hour, an hour after the beginning
  EXPECT_EQ(request.submission_ids().size(), 16u);
  EXPECT_THAT(request.report_counts(), ::testing::ElementsAre(1));
  EXPECT_EQ(request.sealed_reports().size(), task_->sealed_bytes());
  const auto reports = Open(request);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(Supports(reports[0], 7));
}

TEST_F(SessionTest, AReportDoesNotOpenAsOneOfAnotherTaskOrKey) {
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const std::string sealed = shuffler_->requests()[0].sealed_reports();
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(sealed.data()),
                                        sealed.size());
  const auto opens = [&](const std::string& info) {
    std::vector<uint8_t> plaintext(task_->scheme()->report_bytes());
    return crypto::Opener::Create(TestHpkeKey('a'), info)->Open(bytes, absl::MakeSpan(plaintext));
  };
  EXPECT_TRUE(opens(task_->HpkeInfo(TestHpkeKeyId('a'), 0)));
  EXPECT_FALSE(opens(task_->HpkeInfo(TestHpkeKeyId('b'), 0)));
  const auto other = MakeTestTask([](v1::Task* t) { t->set_nonce(std::string(16, 'x')); });
  EXPECT_FALSE(opens(other->HpkeInfo(TestHpkeKeyId('a'), 0)));
}

TEST_F(SessionTest, RetriesSendTheVerySameBytes) {
  shuffler_->FailSubmit(3, absl::UnavailableError("away"));
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const auto requests = shuffler_->requests();
  ASSERT_EQ(requests.size(), 4u);
  for (const v1::SubmitRequest& request : requests) {
    EXPECT_EQ(request.SerializeAsString(), requests[0].SerializeAsString());
  }
  EXPECT_EQ(shuffler_->stored(), 1u);
}

TEST_F(SessionTest, ALostAnswerIsMadeGoodByARetryAndCountsOnce) {
  shuffler_->LoseAnswers(2);
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  EXPECT_EQ(shuffler_->requests().size(), 3u);
  EXPECT_EQ(shuffler_->stored(), 1u);
}

TEST_F(SessionTest, GivesUpAfterTheTimeoutAndKeepsTheSubmission) {
  const auto session = MustCreate();
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  const absl::Time start = clock_->Now();
  EXPECT_EQ(session->Report("v7"), absl::UnavailableError("away"));
  EXPECT_LT(clock_->Now() - start, options_.retry.timeout);
  const size_t tries = shuffler_->requests().size();
  EXPECT_GT(tries, 3u);

  shuffler_->FailSubmit(0, absl::OkStatus());
  EXPECT_TRUE(session->Flush().ok());
  ASSERT_EQ(shuffler_->requests().size(), tries + 1);
  EXPECT_EQ(shuffler_->requests().back().SerializeAsString(),
            shuffler_->requests()[0].SerializeAsString());
  EXPECT_TRUE(session->Flush().ok());
  EXPECT_EQ(shuffler_->requests().size(), tries + 1);
}

TEST_F(SessionTest, ASecondReportIsRefusedWhenTheTaskAllowsOne) {
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v7").ok());
  for (const char* value : {"v7", "v8"}) {
    const absl::Status status = session->Report(value);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(MessageOf(status), HasSubstr("all of its 1 submission(s)"));
  }
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionTest, TheBudgetSurvivesARestart) {
  UseTask([](v1::Task* t) { t->set_submissions_per_device(2); });
  ASSERT_TRUE(MustCreate()->Report("v1").ok());
  ASSERT_TRUE(MustCreate()->Report("v1").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(MustCreate()->Report("v1")));
  EXPECT_EQ(shuffler_->stored(), 2u);
  EXPECT_NE(shuffler_->requests()[0].submission_ids(), shuffler_->requests()[1].submission_ids());
  EXPECT_NE(shuffler_->requests()[0].sealed_reports(), shuffler_->requests()[1].sealed_reports());
}

TEST_F(SessionTest, AfterACrashBeforeTheAnswerTheVerySameBytesGoOutAgain) {
  const std::string sent = root_ + "/sent";
  EXPECT_EXIT(
      {
        shuffler_->DuringSubmit([&](const v1::SubmitRequest& request) {
          std::_Exit(ReplaceFile(sent, request.SerializeAsString()).ok() ? 7 : 1);
        });
        MustCreate()->Report("v7").IgnoreError();
        std::_Exit(1);
      },
      ::testing::ExitedWithCode(7), "");
  const auto session = MustCreate();
  EXPECT_TRUE(shuffler_->requests().empty());
  clock_->Advance(absl::Hours(3));
  EXPECT_TRUE(session->Flush().ok());
  ASSERT_EQ(shuffler_->requests().size(), 1u);
  EXPECT_EQ(shuffler_->requests()[0].SerializeAsString(), *ReadSmallFile(sent));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v7")));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionTest, ARefusalIsFinalAndTheSubmissionStaysSpent) {
  const auto session = MustCreate();
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("window is over"));
  EXPECT_EQ(session->Report("v7"), absl::FailedPreconditionError("window is over"));
  EXPECT_TRUE(session->Flush().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v7")));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionTest, AnAnswerThatIsNoAcknowledgementIsAnError) {
  UseTask([](v1::Task* t) { t->set_submissions_per_device(3); });
  const auto session = MustCreate();
  v1::SubmitResponse rejected;
  rejected.add_outcomes(v1::OUTCOME_REJECTED);
  v1::SubmitResponse unspecified;
  unspecified.add_outcomes(v1::OUTCOME_UNSPECIFIED);
  for (const v1::SubmitResponse& answer : {rejected, unspecified, v1::SubmitResponse()}) {
    shuffler_->AnswerWith(answer);
    const absl::Status status = session->Report("v7");
    // One without an outcome is no answer at all.
    EXPECT_EQ(absl::IsInternal(status), answer.outcomes().empty()) << status;
    EXPECT_EQ(absl::IsFailedPrecondition(status), !answer.outcomes().empty()) << status;
  }
  EXPECT_EQ(shuffler_->requests().size(), 3u);
}

TEST_F(SessionTest, NothingIsSentThatIsNotOnDiskFirst) {
  const auto session = MustCreate();
  std::filesystem::rename(options_.ledger_directory, root_ + "/away");
  EXPECT_FALSE(session->Report("v7").ok());
  EXPECT_FALSE(session->Report("v7").ok());
  EXPECT_TRUE(session->Flush().ok());
  EXPECT_TRUE(shuffler_->requests().empty());
  std::filesystem::rename(root_ + "/away", options_.ledger_directory);
  EXPECT_TRUE(session->Report("v7").ok());
  EXPECT_EQ(shuffler_->stored(), 1u);
}

TEST_F(SessionTest, AValueOutsideTheDomainIsAnErrorAndNothingIsSent) {
  const auto session = MustCreate();
  const absl::Status label = session->Report("v20");
  EXPECT_TRUE(absl::IsInvalidArgument(label)) << label;
  EXPECT_THAT(MessageOf(label), HasSubstr("value must be one of the task's 20 labels"));
  EXPECT_TRUE(shuffler_->requests().empty());
  EXPECT_TRUE(session->Report("v19").ok());
}

TEST_F(SessionTest, ANumberOutsideTheDomainIsAnErrorAndNothingIsSent) {
  UseTask([](v1::Task* t) { t->mutable_domain()->clear_labels(); });
  const auto session = MustCreate();
  for (const char* value : {"20", "-1", "v1", ""}) {
    const absl::Status status = session->Report(value);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << value << " " << status;
    EXPECT_THAT(MessageOf(status), HasSubstr("value must be a whole number between 0 and 19"));
  }
  EXPECT_TRUE(shuffler_->requests().empty());
  EXPECT_TRUE(session->Report("19").ok());
}

TEST_F(SessionTest, AValueOutsideTheDomainIsSentAsTheTasksOtherValue) {
  UseTask([](v1::Task* t) {
    Truthful(t);
    t->mutable_domain()->set_other(4);
  });
  ASSERT_TRUE(MustCreate()->Report("something else").ok());
  EXPECT_TRUE(Supports(Open(shuffler_->requests()[0])[0], 4));
}

TEST_F(SessionTest, ReportsOnlyWhileTheTaskIsOpen) {
  const auto session = MustCreate();
  clock_->Advance(task_->not_before() - clock_->Now() - absl::Nanoseconds(1));
  const absl::Status early = session->Report("v7");
  EXPECT_TRUE(absl::IsFailedPrecondition(early)) << early;
  EXPECT_THAT(MessageOf(early), HasSubstr("not open"));
  clock_->Advance(task_->not_after() - clock_->Now());
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v7")));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->ReportMany({"v7"}).status()));
  EXPECT_TRUE(shuffler_->requests().empty());
  clock_->Advance(-absl::Seconds(1));
  EXPECT_TRUE(session->Report("v7").ok());
}

TEST_F(SessionTest, FetchesTheTaskAgainWhileTheShufflerIsAway) {
  shuffler_->FailTask(3, absl::UnavailableError("away"));
  EXPECT_TRUE(Create().ok());
  shuffler_->FailTask(1, absl::NotFoundError("no such task"));
  EXPECT_EQ(Create().status(), absl::NotFoundError("no such task"));
}

TEST_F(SessionTest, AnotherTaskThanTheOneAskedForIsRefused) {
  shuffler_->ServeTask(MakeTestTask([](v1::Task* t) { t->set_name("weaker"); })->bytes());
  EXPECT_TRUE(absl::IsUnauthenticated(Create().status()));
  shuffler_->ServeTask("garbage");
  EXPECT_TRUE(absl::IsInvalidArgument(Create().status()));
  EXPECT_EQ(shuffler_->key_fetches(), 0);
}

TEST_F(SessionTest, ATaskWeakerThanThePolicyIsRefusedBeforeAnythingElseIsAsked) {
  UseTask([](v1::Task* t) { t->set_submissions_per_device(2); });
  const Policy accepted = options_.policy;
  const std::vector<std::pair<std::function<void(Policy*)>, std::string>> weaker = {
      {[](Policy* p) { p->max_epsilon *= 0.99; }, "policy.max_epsilon"},
      {[](Policy* p) { p->max_delta *= 0.99; }, "policy.max_delta"},
      {[](Policy* p) { p->max_total_epsilon *= 0.99; }, "policy.max_total_epsilon"},
      {[](Policy* p) { p->max_local_epsilon *= 0.99; }, "policy.max_local_epsilon"},
      {[](Policy* p) { p->min_batch += 1; }, "policy.min_batch"},
      {[](Policy* p) { p->max_submissions -= 1; }, "policy.max_submissions"},
  };
  for (const auto& [change, field] : weaker) {
    options_.policy = accepted;
    change(&options_.policy);
    const absl::Status status = Create().status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << field << " " << status;
    EXPECT_THAT(MessageOf(status), HasSubstr(field));
  }
  options_.policy = accepted;
  options_.policy.collector_key = std::string(32, 'x');
  EXPECT_TRUE(absl::IsUnauthenticated(Create().status()));
  options_.policy = Policy();
  EXPECT_TRUE(absl::IsInvalidArgument(Create().status()));
  EXPECT_EQ(shuffler_->key_fetches(), 0);
  EXPECT_FALSE(std::filesystem::exists(options_.ledger_directory));
  options_.policy = accepted;
  EXPECT_TRUE(Create().ok());
}

TEST_F(SessionTest, ADamagedLedgerIsAnErrorAndNotAFreshBudget) {
  ASSERT_TRUE(MustCreate()->Report("v7").ok());
  const std::string path = options_.ledger_directory + "/" + ToHex(task_->id()) + ".ledger";
  ASSERT_TRUE(ReplaceFile(path, "").ok());
  EXPECT_TRUE(absl::IsDataLoss(Create().status()));
}

TEST_F(SessionTest, WithoutALedgerDirectoryTheBudgetLastsAsLongAsTheSession) {
  options_.ledger_directory.clear();
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v7").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v7")));
  EXPECT_TRUE(MustCreate()->Report("v7").ok());
}

}  // namespace
}  // namespace tombola::client
