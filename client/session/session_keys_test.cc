// Which of the collector's keys a device seals to, and which it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/session/session.h"
#include "client/session/session_harness.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

class SessionKeysTest : public SessionTest {
 protected:
  SessionKeysTest() {
    UseTask([](v1::Task* t) {
      t->set_submissions_per_device(10);
      t->mutable_batch_policy()->set_interval(3600);
      t->mutable_batch_policy()->set_merge_periods(true);
    });
  }

  absl::Time Hour(double hours) const { return task_->not_before() + absl::Hours(hours); }
  std::string LastKey() const { return shuffler_->requests().back().key_id(); }
  static std::string Id(char name) { return std::string(AsView(TestHpkeKeyId(name))); }
  // A list of one key for the whole of the task.
  v1::SignedKeyList Whole(uint64_t serial, char name) const {
    return SignedKeys(serial, {{name, task_->not_before(), task_->not_after()}});
  }
};

TEST_F(SessionKeysTest, AListSignedBySomebodyElseIsRefused) {
  shuffler_->ServeKeys(
      SignedKeys(5, {{'a', task_->not_before(), task_->not_after()}}, TestShufflerKey()));
  EXPECT_TRUE(absl::IsUnauthenticated(Create().status()));
}

TEST_F(SessionKeysTest, AListWithTwoActiveKeysIsRefused) {
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0), Hour(48)}, {'b', Hour(0.5), Hour(48)}}));
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most one valid at any moment"));
}

TEST_F(SessionKeysTest, AKeyThatLivesShorterThanTheIntervalIsRefused) {
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0.5), Hour(1.49)}}));
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("shorter than the task's interval"));
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0.5), Hour(1.5)}}));
  EXPECT_TRUE(Create().ok());
}

TEST_F(SessionKeysTest, ALaterKeyOfTheListIsHeldToTheSameRules) {
  // The list is at hand when its second key, which lives half an hour, takes over.
  shuffler_->ServeKeys(
      SignedKeys(5, {{'a', Hour(0), Hour(1) + absl::Minutes(5)},
                     {'b', Hour(1) + absl::Minutes(5), Hour(1) + absl::Minutes(35)}}));
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v1").ok());
  clock_->Advance(absl::Minutes(6));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v1")));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->ReportMany({"v1"}).status()));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionKeysTest, AListWithoutAKeyThatIsValidNowIsRefused) {
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(2), Hour(48)}}));
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no key that is valid now"));
}

TEST_F(SessionKeysTest, AnOlderListThanTheOneInUseIsRefusedAndNothingIsSent) {
  const auto session = MustCreate();
  ASSERT_TRUE(session->Report("v1").ok());
  shuffler_->ServeKeys(Whole(4, 'b'));
  clock_->Advance(options_.key_list_age);
  const absl::Status status = session->Report("v1");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("serial is 4, but 5 was seen before"));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->ReportMany({"v1"}).status()));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionKeysTest, AnOlderListIsRefusedAfterARestartEvenIfNothingWasReported) {
  MustCreate();
  shuffler_->ServeKeys(Whole(4, 'b'));
  EXPECT_TRUE(absl::IsFailedPrecondition(Create().status()));
  shuffler_->ServeKeys(Whole(5, 'a'));
  EXPECT_TRUE(Create().ok());
}

// Two lists of one serial are what a collector that has lost its keys hands out, or one that tells
// devices apart by their keys.
TEST_F(SessionKeysTest, AnotherListOfTheSerialInUseIsRefusedAlsoAfterARestart) {
  {
    const auto session = MustCreate();
    shuffler_->ServeKeys(Whole(5, 'b'));
    clock_->Advance(options_.key_list_age);
    const absl::Status status = session->Report("v1");
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("and other keys"));
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(Create().status()));
  EXPECT_TRUE(shuffler_->requests().empty());
  shuffler_->ServeKeys(Whole(5, 'a'));
  EXPECT_TRUE(Create().ok());
}

TEST_F(SessionKeysTest, AnotherListOfOneSerialIsRefusedWhileTheFirstIsFetched) {
  const auto session = MustCreate();
  clock_->Advance(options_.key_list_age);
  shuffler_->ServeKeys(Whole(6, 'c'));
  shuffler_->DuringKeyList([&] {
    shuffler_->ServeKeys(Whole(6, 'b'));
    EXPECT_TRUE(session->Report("v1").ok());
    shuffler_->ServeKeys(Whole(6, 'c'));
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(session->ReportMany({"v2"}).status()));
  EXPECT_EQ(shuffler_->requests().size(), 1u);
}

TEST_F(SessionKeysTest, TheListIsFetchedAgainWhenItIsOldAndARotatedKeyIsUsed) {
  const auto session = MustCreate();
  shuffler_->ServeKeys(Whole(6, 'b'));
  clock_->Advance(options_.key_list_age - absl::Seconds(1));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('a'));
  EXPECT_EQ(shuffler_->key_fetches(), 1);
  clock_->Advance(absl::Seconds(1));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('b'));
  EXPECT_EQ(shuffler_->key_fetches(), 2);
  EXPECT_EQ(Open(shuffler_->requests().back()).size(), 1u);
}

TEST_F(SessionKeysTest, TheNextKeyOfTheListTakesOverInTime) {
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0), Hour(1) + absl::Minutes(5)},
                                      {'b', Hour(1) + absl::Minutes(5), Hour(48)}}));
  const auto session = MustCreate();
  clock_->Advance(absl::Minutes(5) - absl::Nanoseconds(1));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('a'));
  clock_->Advance(absl::Nanoseconds(1));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('b'));
  EXPECT_EQ(shuffler_->key_fetches(), 1);
}

TEST_F(SessionKeysTest, AListWhoseKeyHasEndedIsFetchedAgainAtOnce) {
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0), Hour(1) + absl::Minutes(5)}}));
  const auto session = MustCreate();
  shuffler_->ServeKeys(SignedKeys(6, {{'b', Hour(1), Hour(48)}}));
  clock_->Advance(absl::Minutes(5));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('b'));
}

TEST_F(SessionKeysTest, TheKeyIsTheOneOfTheMomentAfterTheFetch) {
  // The retry's pause, 50 to 100 ms, crosses the change of keys.
  shuffler_->ServeKeys(SignedKeys(5, {{'a', Hour(0), Hour(2)}, {'b', Hour(2), Hour(48)}}));
  const auto session = MustCreate();
  clock_->Advance(Hour(2) - clock_->Now() - absl::Milliseconds(40));
  shuffler_->FailKeys(1, absl::UnavailableError("away"));
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('b'));
}

TEST_F(SessionKeysTest, AListThatCannotBeFetchedCostsNothing) {
  UseTask([](v1::Task* t) { t->set_submissions_per_device(1); });
  const auto session = MustCreate();
  clock_->Advance(options_.key_list_age);
  shuffler_->FailKeys(kForEver, absl::UnavailableError("away"));
  EXPECT_EQ(session->Report("v1"), absl::UnavailableError("away"));
  EXPECT_TRUE(shuffler_->requests().empty());
  shuffler_->FailKeys(2, absl::UnavailableError("away"));
  EXPECT_TRUE(session->Report("v1").ok());
}

TEST_F(SessionKeysTest, WhatIsPendingNeedsNoKeyList) {
  const auto session = MustCreate();
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(session->Report("v1")));
  shuffler_->FailSubmit(0, absl::OkStatus());
  clock_->Advance(options_.key_list_age);
  shuffler_->FailKeys(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(session->Flush().ok());
  EXPECT_EQ(shuffler_->stored(), 1u);
}

TEST_F(SessionKeysTest, AFetchThatANewerOneOvertookUsesTheNewerList) {
  const auto session = MustCreate();
  clock_->Advance(options_.key_list_age);
  shuffler_->DuringKeyList([&] {
    shuffler_->ServeKeys(Whole(6, 'b'));
    EXPECT_TRUE(session->Report("v1").ok());
    EXPECT_EQ(LastKey(), Id('b'));
  });
  const auto outcome = session->ReportMany({"v2"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->accepted, 1);
  ASSERT_EQ(shuffler_->requests().size(), 2u);
  EXPECT_EQ(LastKey(), Id('b'));
  EXPECT_EQ(shuffler_->key_fetches(), 3);
}

TEST_F(SessionKeysTest, AfterARefusalTheNextSubmissionIsSealedToAKeyOfAFreshList) {
  const auto session = MustCreate();
  shuffler_->ServeKeys(Whole(6, 'b'));
  shuffler_->FailSubmit(1, absl::FailedPreconditionError("the window of key_id is closed"));
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Report("v1")));
  EXPECT_EQ(LastKey(), Id('a'));
  EXPECT_EQ(shuffler_->requests().size(), 1u) << "what was refused is not sent again";
  ASSERT_TRUE(session->Report("v1").ok());
  EXPECT_EQ(LastKey(), Id('b'));
  EXPECT_EQ(shuffler_->key_fetches(), 2);
}

TEST_F(SessionKeysTest, AListThatIsTooOldIsNotSealedByAndCostsNothing) {
  UseTask([](v1::Task* t) { t->set_key_list_age(2 * 3600); });
  const auto keys_of = [&](uint64_t serial, absl::Time issued) {
    return SignedKeys(serial, {{'a', task_->not_before(), task_->not_after()}}, TestCollectorKey(),
                      issued);
  };
  const auto session = MustCreate();  // an hour after the list was signed
  clock_->Advance(absl::Hours(1) + absl::Seconds(1));
  const absl::Status old = session->Report("v1");
  EXPECT_TRUE(absl::IsUnavailable(old)) << old;
  EXPECT_TRUE(absl::IsUnavailable(session->ReportMany({"v1"}).status()));
  EXPECT_TRUE(shuffler_->requests().empty());
  // The device's clock is two hours behind.
  shuffler_->ServeKeys(keys_of(6, clock_->Now() + absl::Hours(2)));
  EXPECT_TRUE(absl::IsUnavailable(session->Report("v1")));
  EXPECT_TRUE(shuffler_->requests().empty());
  shuffler_->ServeKeys(keys_of(7, clock_->Now()));
  EXPECT_TRUE(session->Report("v1").ok()) << "the budget was not touched";
  EXPECT_EQ(shuffler_->stored(), 1u);
}

}  // namespace
}  // namespace tombola::client
