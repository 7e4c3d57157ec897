// At most one submission of a device in a period, and what it is sealed for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/session/session.h"
#include "client/session/session_harness.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

// Periods of a day, from an hour after the task's beginning on.
class SessionPeriodsTest : public SessionTest {
 protected:
  SessionPeriodsTest() {
    UseTask([](v1::Task* t) {
      Truthful(t);
      t->set_submissions_per_device(3);
      t->mutable_batch_policy()->set_interval(24 * 3600);
      t->set_key_list_age(10 * 24 * 3600);
    });
  }

  void NextDay() { clock_->Advance(absl::Hours(24)); }
  uint64_t LastPart() const { return shuffler_->requests().back().part(); }
  absl::Time Day(double days) const { return task_->not_before() + days * absl::Hours(24); }
};

TEST_F(SessionPeriodsTest, EachSubmissionIsOfThePeriodInWhichItWasMade) {
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v3").ok());
  EXPECT_EQ(LastPart(), 1u);
  EXPECT_TRUE(Supports(Open(shuffler_->requests().back())[0], 3)) << "it opens as of the period";
  NextDay();
  ASSERT_TRUE(session->Report("v4").ok());
  EXPECT_EQ(LastPart(), 2u);
  EXPECT_TRUE(Supports(Open(shuffler_->requests().back())[0], 4));
}

TEST_F(SessionPeriodsTest, ASecondOneInAPeriodIsRefusedOverRestartsToo) {
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  const absl::Status again = MustCreate()->Report("v4");
  EXPECT_TRUE(absl::IsFailedPrecondition(again)) << again;
  EXPECT_THAT(std::string(again.message()), HasSubstr("submission of period 1 already"));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionPeriodsTest, OneThatWasTriedIsSpentAndIsNeverSealedForALaterPeriod) {
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v3")));
  const std::string first = shuffler_->requests().back().SerializeAsString();
  NextDay();
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("period 1 is over"));
  ASSERT_TRUE(MustCreate()->Report("v4").ok());
  const auto requests = shuffler_->requests();
  EXPECT_EQ(requests[requests.size() - 2].SerializeAsString(), first) << "as it was, and once";
  EXPECT_EQ(LastPart(), 2u);
  EXPECT_TRUE(Supports(Open(requests.back())[0], 4));
  NextDay();
  ASSERT_TRUE(MustCreate()->Report("v5").ok());
  NextDay();
  EXPECT_THAT(std::string(MustCreate()->Report("v6").message()), HasSubstr("all of its 3"))
      << "the one that was refused counts";
}

TEST_F(SessionPeriodsTest, WhatWaitsInThisPeriodGoesOutAndTheNewOneIsNotBegun) {
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v3")));
  shuffler_->FailSubmit(0, absl::OkStatus());
  const absl::Status status = MustCreate()->Report("v4");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the one that waited is delivered now"));
  EXPECT_EQ(shuffler_->stored(), 1u);
}

TEST_F(SessionPeriodsTest, AClockThatIsSetBackMakesNoSecondSubmissionInAPeriod) {
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  NextDay();
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  for (const absl::Duration back : {absl::Hours(12), absl::Hours(12)}) {
    clock_->Advance(-back);
    EXPECT_TRUE(absl::IsFailedPrecondition(MustCreate()->Report("v4")));
  }
  EXPECT_EQ(shuffler_->requests().size(), 2u);
}

TEST_F(SessionPeriodsTest, AClockThatWasAheadForAWhileCostsOnePeriodAndNotAllBeforeIt) {
  clock_->Advance(absl::Hours(5 * 24));
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("period 6 has not begun"));
  EXPECT_TRUE(absl::IsFailedPrecondition(MustCreate()->Report("v3")));
  EXPECT_EQ(LastPart(), 6u);
  clock_->Advance(-absl::Hours(5 * 24));
  ASSERT_TRUE(MustCreate()->Report("v4").ok());
  EXPECT_EQ(LastPart(), 1u);
  clock_->Advance(absl::Hours(5 * 24));
  EXPECT_THAT(std::string(MustCreate()->Report("v5").message()),
              HasSubstr("submission of period 6 already"));
  NextDay();
  ASSERT_TRUE(MustCreate()->Report("v5").ok());
  EXPECT_EQ(LastPart(), 7u);
}

// Beyond the age that the task allows its key list it begins nothing, which costs nothing.
TEST_F(SessionPeriodsTest, AClockThatIsFurtherAheadThanAKeyListMayBeOldSpendsNothing) {
  const auto session = MustCreate();
  const absl::Duration far = task_->key_list_age() + absl::Hours(24);
  clock_->Advance(far);
  EXPECT_TRUE(absl::IsUnavailable(session->Report("v3")));
  clock_->Advance(-far);
  for (int day = 0; day < 3; ++day, NextDay()) EXPECT_TRUE(session->Report("v4").ok());
}

// Condition 6 of docs/privacy.md: what a device does over three days, one on which the shuffler is
// away and one on which it refuses, is the same whatever it holds.
TEST_F(SessionPeriodsTest, WhetherADeviceSkipsAPeriodDoesNotDependOnItsValue) {
  const absl::Time begin = clock_->Now();
  const auto life_of = [&](const std::string& value) {
    options_.ledger_directory = scratch_.In("ledger-of-" + value);
    clock_->Advance(begin - clock_->Now());
    seed_ = 1;
    std::vector<std::string> life;
    size_t seen = shuffler_->requests().size();
    const auto report = [&] {
      life.push_back(MustCreate()->Report(value).ToString());
      const auto requests = shuffler_->requests();
      for (; seen < requests.size(); ++seen) {
        const v1::SubmitRequest& sent = requests[seen];
        life.push_back(absl::StrCat(sent.part(), " ", sent.window(), " ", sent.report_counts(0),
                                    " ", sent.sealed_reports().size(), " ",
                                    absl::BytesToHexString(sent.key_id())));
      }
    };
    shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
    report();
    NextDay();
    shuffler_->FailSubmit(1, absl::FailedPreconditionError("period 1 is over"));
    report();
    report();  // a second one in the period
    NextDay();
    shuffler_->FailSubmit(1, absl::FailedPreconditionError("not now"));
    report();
    NextDay();
    report();
    return life;
  };
  const std::vector<std::string> first = life_of("v0");
  EXPECT_GE(first.size(), 9u);
  for (const char* value : {"v1", "v7", "v19"}) EXPECT_EQ(life_of(value), first) << value;
}

TEST_F(SessionPeriodsTest, APeriodKeepsItsKeyWhereTheKeysAreRotatedInIt) {
  // The second takes over in the middle of the second day.
  shuffler_->ServeKeys(SignedKeys(6, {{'a', Day(0), Day(1.5)}, {'b', Day(1.5), Day(30)}}));
  const auto key = [&] { return shuffler_->requests().back().key_id(); };
  clock_->Advance(absl::Hours(40));  // of the second day
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  EXPECT_EQ(LastPart(), 2u);
  EXPECT_EQ(key(), AsView(TestHpkeKeyId('a'))) << "as those before noon";
  NextDay();
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  EXPECT_EQ(key(), AsView(TestHpkeKeyId('b')));
}

TEST_F(SessionPeriodsTest, AKeyThatWasTakenAwayIsReplacedInThePeriod) {
  shuffler_->ServeKeys(SignedKeys(6, {{'b', Day(1.5), Day(30)}}));
  clock_->Advance(absl::Hours(40));
  ASSERT_TRUE(MustCreate()->Report("v3").ok());
  EXPECT_EQ(shuffler_->requests().back().key_id(), AsView(TestHpkeKeyId('b')));
}

TEST_F(SessionPeriodsTest, ManyDevicesReportInThePresentPeriod) {
  NextDay();
  const auto outcome = MustCreate()->ReportMany(std::vector<std::string>{"v1", "v2"});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->accepted, 2);
  EXPECT_EQ(LastPart(), 2u);
  EXPECT_EQ(Open(shuffler_->requests().back()).size(), 2u);
}

}  // namespace
}  // namespace tombola::client
