// Which submission a call of Report is: the one that waits, the one of its token, or a new one; and
// that the value has no say in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/session/session.h"
#include "client/session/session_harness.h"
#include "common/base/retry_after.h"
#include "common/disk/whole_file.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

class SessionTokenTest : public SessionTest {
 protected:
  SessionTokenTest() { Allow(2); }

  void Allow(int submissions) {
    UseTask([&](v1::Task* t) {
      Truthful(t);
      t->set_submissions_per_device(submissions);
    });
  }
  // The shuffler takes nothing while `session` reports.
  void LeaveWaiting(Session& session, const std::string& value, const ReportOptions& options = {}) {
    shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
    EXPECT_TRUE(absl::IsUnavailable(session.Report(value, options)));
    shuffler_->FailSubmit(0, absl::OkStatus());
    failed_ = shuffler_->requests().size();
  }
  // The shuffler has got submissions of these values since, and no others.
  void ExpectSent(const std::vector<uint64_t>& values) const {
    const auto requests = shuffler_->requests();
    ASSERT_EQ(requests.size(), failed_ + values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(Supports(Open(requests[failed_ + i])[0], values[i])) << i;
    }
  }

  size_t failed_ = 0;
};

TEST_F(SessionTokenTest, WhatWaitsGoesOutFirstAndThenANewSubmissionWhateverTheValue) {
  for (const char* value : {"v7", "v8"}) {
    Allow(2);
    options_.ledger_directory = absl::StrCat(root_, "/", value);
    LeaveWaiting(*MustCreate(), "v7");
    ASSERT_TRUE(MustCreate()->Report(value).ok());
    ExpectSent({7, static_cast<uint64_t>(value[1] - '0')});
    EXPECT_EQ(shuffler_->requests()[failed_].SerializeAsString(),
              shuffler_->requests()[0].SerializeAsString());
    EXPECT_EQ(shuffler_->stored(), 2u);
  }
}

TEST_F(SessionTokenTest, WithoutBudgetForAnotherTheCallSaysWhatBecameOfTheOneThatWaited) {
  Allow(1);
  LeaveWaiting(*MustCreate(), "v7");
  const absl::Status spent = MustCreate()->Report("v7");
  EXPECT_TRUE(absl::IsFailedPrecondition(spent)) << spent;
  EXPECT_THAT(std::string(spent.message()), HasSubstr("the one that waited is delivered now"));
  ExpectSent({7});
  EXPECT_TRUE(MustCreate()->Flush().ok());
  ExpectSent({7});

  options_.ledger_directory += "2";
  LeaveWaiting(*MustCreate(), "v7");
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("window is over"));
  const absl::Status refused = MustCreate()->Report("v7");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("the one that waited was refused"));
}

TEST_F(SessionTokenTest, WhileAnEarlierOneWaitsTheNextIsNotBegunAndTheWaitIsPassedOn) {
  const auto session = MustCreate();
  LeaveWaiting(*session, "v7");
  absl::Status busy = absl::UnavailableError("busy");
  SetRetryAfter(absl::Minutes(5), &busy);
  shuffler_->FailSubmit(1, busy);
  const absl::Status status = session->Report("v8");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("this one was not begun: busy"));
  EXPECT_EQ(RetryAfter(status), absl::Minutes(5));
  EXPECT_TRUE(session->Flush().ok());
  EXPECT_TRUE(session->Report("v8").ok());
  ExpectSent({7, 7, 8});
}

TEST_F(SessionTokenTest, TheSameTokenIsTheSameSubmissionWhateverTheValueAndOverRestarts) {
  const ReportOptions today{.token = "2026-11-17"};
  LeaveWaiting(*MustCreate(), "v7", today);
  EXPECT_TRUE(MustCreate()->Report("v8", today).ok());
  ExpectSent({7});
  EXPECT_EQ(shuffler_->requests().back().SerializeAsString(),
            shuffler_->requests().front().SerializeAsString());
  for (const char* value : {"v7", "v9", "not in the domain"}) {
    EXPECT_TRUE(MustCreate()->Report(value, today).ok()) << "it is delivered";
  }
  ExpectSent({7});
}

TEST_F(SessionTokenTest, AnotherTokenIsAnotherSubmissionAndTheFirstIsStillKnownAfterwards) {
  LeaveWaiting(*MustCreate(), "v7", {.token = "monday"});
  EXPECT_TRUE(MustCreate()->Report("v7", {.token = "tuesday"}).ok());
  ExpectSent({7, 7});
  EXPECT_TRUE(MustCreate()->Report("v8", {.token = "monday"}).ok());
  EXPECT_TRUE(MustCreate()->Report("v8", {.token = "tuesday"}).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(MustCreate()->Report("v8", {.token = "wednesday"})));
  ExpectSent({7, 7});
}

TEST_F(SessionTokenTest, ATokenWhoseSubmissionWasRefusedIsNotTakenForDelivered) {
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("window is over"));
  EXPECT_TRUE(absl::IsFailedPrecondition(MustCreate()->Report("v7", {.token = "monday"})));
  const absl::Status again = MustCreate()->Report("v7", {.token = "monday"});
  EXPECT_TRUE(absl::IsFailedPrecondition(again)) << again;
  EXPECT_THAT(std::string(again.message()), HasSubstr("refused the submission of this token"));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionTokenTest, ADeliveredTokenIsAnsweredAfterTheTaskHasEndedToo) {
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v7", {.token = "monday"}).ok());
  clock_->Advance(task_->not_after() - clock_->Now());
  EXPECT_TRUE(session->Report("v7", {.token = "monday"}).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v7", {.token = "tuesday"})));
}

// What whoever watches the line and the device's disk may see of one device's life.
struct Seen {
  std::vector<std::string> calls;  // of Submit: length, and everything but the sealed bytes
  int key_fetches = 0;
  std::vector<absl::StatusCode> outcomes;
  std::vector<size_t> ledger_bytes;

  bool operator==(const Seen& other) const {
    return calls == other.calls && key_fetches == other.key_fetches && outcomes == other.outcomes &&
           ledger_bytes == other.ledger_bytes;
  }
};

enum class Fault { kNone, kLost, kRefused, kAway, kLostOnce, kAwayOnce };
constexpr int kFaults = 6;
constexpr int kWorstFaults = 3;  // the first three
constexpr int kReports = 3;

class AnyScheduleTest : public SessionTokenTest {
 protected:
  void Plan(Fault fault) {
    shuffler_->FailSubmit(0, absl::OkStatus());
    shuffler_->LoseAnswers(0);
    switch (fault) {
      case Fault::kNone:
        return;
      case Fault::kAwayOnce:
        return shuffler_->FailSubmit(1, absl::UnavailableError("away"));
      case Fault::kAway:
        return shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
      case Fault::kLostOnce:
        return shuffler_->LoseAnswers(1);
      case Fault::kLost:
        return shuffler_->LoseAnswers(kForEver);
      case Fault::kRefused:
        return shuffler_->FailSubmit(1, absl::FailedPreconditionError("window is over"));
    }
  }

  // A device that reports these values under this schedule, restarted before each if it has a
  // ledger.
  Seen Live(const std::vector<std::string>& values, const std::vector<Fault>& schedule,
            const std::string& token, const std::string& ledger) {
    clock_->Advance(TestTaskStart() + absl::Hours(1) - clock_->Now());
    seed_ = 1;
    shuffler_ = std::make_shared<ScriptedShuffler>(
        task_->bytes(), SignedKeys(5, {{'a', task_->not_before(), task_->not_after()}}));
    options_.retry.timeout = absl::Milliseconds(1);  // one attempt a call
    options_.ledger_directory = ledger.empty() ? "" : absl::StrCat(root_, "/", ledger);
    Seen seen;
    auto session = MustCreate();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!ledger.empty()) {
        session.reset();
        session = MustCreate();
      }
      Plan(schedule[i]);
      seen.outcomes.push_back(session->Report(values[i], {.token = token}).code());
      if (ledger.empty()) continue;
      const std::string path =
          absl::StrCat(options_.ledger_directory, "/", ToHex(task_->id()), ".ledger");
      seen.ledger_bytes.push_back(ReadSmallFile(path)->size());
    }
    for (v1::SubmitRequest request : shuffler_->requests()) {
      const size_t bytes = request.ByteSizeLong();
      request.clear_sealed_reports();
      seen.calls.push_back(
          absl::StrCat(bytes, " ", absl::BytesToHexString(request.SerializeAsString())));
    }
    seen.key_fetches = shuffler_->key_fetches();
    return seen;
  }

  // Every schedule of the first `faults`, with repeated and with changed values.
  void Compare(const std::string& token, int faults, bool restarts) {
    size_t calls = 0;
    int schedules = 1;
    for (int i = 0; i < kReports; ++i) schedules *= faults;
    for (int number = 0; number < schedules; ++number) {
      std::vector<Fault> schedule;
      for (int i = 0, rest = number; i < kReports; ++i, rest /= faults) {
        schedule.push_back(static_cast<Fault>(rest % faults));
      }
      const auto live = [&](const std::vector<std::string>& values, const char* name) {
        return Live(values, schedule, token, restarts ? absl::StrCat(name, number) : "");
      };
      const Seen repeated = live({"v7", "v7", "v7"}, "repeated");
      const Seen changed = live({"v7", "v8", "v9"}, "changed");
      EXPECT_TRUE(repeated == changed)
          << "schedule " << number << ": " << repeated.calls.size() << " calls with repeated and "
          << changed.calls.size() << " with changed values";
      calls += repeated.calls.size();
    }
    EXPECT_GE(calls, static_cast<size_t>(schedules));
  }
};

TEST_F(AnyScheduleTest, RepeatedAndChangedValuesMakeTheSameCalls) { Compare("", kFaults, false); }
TEST_F(AnyScheduleTest, AndWithAToken) { Compare("a token", kFaults, false); }
TEST_F(AnyScheduleTest, AndOverRestarts) { Compare("", kWorstFaults, true); }
TEST_F(AnyScheduleTest, AndOverRestartsWithAToken) { Compare("a token", kWorstFaults, true); }

TEST_F(SessionTokenTest, SaysWhichTokensAreDelivered) {
  options_.ledger_directory = absl::StrCat(root_, "/delivered");
  auto session = MustCreate();
  EXPECT_FALSE(session->Delivered("survey"));
  LeaveWaiting(*session, "v7", {.token = "survey"});
  EXPECT_FALSE(session->Delivered("survey")) << "it waits";
  ASSERT_TRUE(session->Report("v7", {.token = "survey"}).ok());
  EXPECT_TRUE(session->Delivered("survey"));
  session.reset();
  session = MustCreate();
  EXPECT_TRUE(session->Delivered("survey")) << "in a later life too";
  EXPECT_FALSE(session->Delivered("")) << "no token names none";
}

}  // namespace
}  // namespace tombola::client
