// The life of a key: announced, active, retired, destroyed; by the clock, and by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "collector/catalog/key_ring.h"
#include "collector/catalog/test_key_ring.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// --- by the clock alone ---

TEST_F(KeyRingTest, TheNextKeyIsAnnouncedInTimeAndTakesOverWhenTheOldOneEnds) {
  const HpkeKey first = Active();
  Until(Day(8) - absl::Seconds(1));
  EXPECT_FALSE(Tend());
  EXPECT_THAT(States(), ElementsAre(v1::KEY_STATE_ACTIVE));
  Until(Day(8));
  EXPECT_TRUE(Tend());
  EXPECT_FALSE(Tend()) << "one is enough";
  EXPECT_THAT(States(), ElementsAre(v1::KEY_STATE_ACTIVE, v1::KEY_STATE_PENDING));
  // Devices have the next key already and seal to the old one still; Verified() would refuse a list
  // with two that are valid at one moment.
  ASSERT_EQ(Verified().keys().size(), 2u);
  EXPECT_EQ(Active().id, first.id);
  EXPECT_EQ(Verified().ActiveAt(Day(10))->id, Verified().keys()[1].id);
  const uint64_t serial = ring_->serial();
  Until(Day(10));
  EXPECT_THAT(States(), ElementsAre(v1::KEY_STATE_RETIRED, v1::KEY_STATE_ACTIVE));
  EXPECT_FALSE(Tend());
  EXPECT_EQ(ring_->serial(), serial) << "the list has not changed, only the time";
  EXPECT_NE(Active().id, first.id);
  EXPECT_TRUE(Opens(first));
}

TEST_F(KeyRingTest, ARetiredKeyOpensUntilItsWindowAndTheDeliveryAreOverThenItIsDestroyed) {
  const HpkeKey first = Active();
  EXPECT_EQ(first.closes, Day(15));
  Until(Day(8));
  Tend();
  Until(Day(18) - absl::Seconds(1));
  Tend();
  EXPECT_TRUE(Opens(first));
  EXPECT_TRUE(std::filesystem::exists(KeyPath(first.id)));
  Until(Day(18));
  EXPECT_TRUE(Tend());
  EXPECT_FALSE(std::filesystem::exists(KeyPath(first.id)));
  EXPECT_TRUE(absl::IsFailedPrecondition(ring_->PrivateKey(first.id).status()));
  EXPECT_FALSE(Verified().Find(first.id).has_value());
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const v1::KeyHistory gone = History()[0];
    EXPECT_EQ(gone.key_id(), AsView(first.id));
    EXPECT_EQ(gone.state(), v1::KEY_STATE_DESTROYED);
    EXPECT_EQ(gone.not_before(), absl::ToUnixSeconds(Day(0)));
    EXPECT_EQ(gone.not_after(), absl::ToUnixSeconds(Day(10)));
    EXPECT_EQ(gone.closes(), absl::ToUnixSeconds(Day(15)));
    EXPECT_EQ(gone.destroyed(), absl::ToUnixSeconds(Day(18)));
    EXPECT_TRUE(absl::IsFailedPrecondition(ring_->PrivateKey(first.id).status()));
  }
}

TEST_F(KeyRingTest, OverYearsExactlyOneKeyIsActiveAtEveryMomentAndTheListStaysShort) {
  uint64_t serial = ring_->serial();
  for (int hour = 0; hour < 24 * 365 * 2; hour += 7) {
    Until(Day(0) + absl::Hours(hour));
    Tend();
    EXPECT_GE(ring_->serial(), serial);
    serial = ring_->serial();
    const std::vector<v1::KeyState> states = States();
    ASSERT_EQ(std::count(states.begin(), states.end(), v1::KEY_STATE_ACTIVE), 1) << hour;
    ASSERT_LE(std::count(states.begin(), states.end(), v1::KEY_STATE_PENDING), 1) << hour;
    ASSERT_LE(ring_->List().keys_size(), 3) << hour;
  }
  Active();
  EXPECT_EQ(States().size(), 73u + 1u);  // 730 days in lives of 10, and the one that is announced
}

// The machine slept: everything that was due happens at once, and nothing twice.
TEST_F(KeyRingTest, ALongSleepEndsWithAnActiveKey) {
  Until(Day(100));
  EXPECT_TRUE(Tend());
  EXPECT_THAT(States(), ElementsAre(v1::KEY_STATE_DESTROYED, v1::KEY_STATE_ACTIVE));
  EXPECT_EQ(Active().not_before, Day(100));
  EXPECT_FALSE(Tend());
}

TEST_F(KeyRingTest, AClockThatIsSetBackLeavesAnActiveKeyAndNoOverlap) {
  Until(Day(8));
  Tend();
  Until(Day(-3));
  EXPECT_TRUE(Tend());
  EXPECT_EQ(Active().not_before, Day(-3));
  EXPECT_EQ(Active().not_after, Day(10));
  EXPECT_EQ(Verified().keys().size(), 2u);
  Until(Day(10));
  EXPECT_EQ(Active().id, Verified().keys()[1].id);
}

// --- rotation by hand ---

TEST_F(KeyRingTest, ARotationUsesTheKeyThatIsAnnounced) {
  Until(Day(9));
  Tend();
  const KeyId announced = Verified().keys()[1].id;
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  EXPECT_EQ(Active().id, announced);
  EXPECT_EQ(Active().not_before, Day(9));
  EXPECT_EQ(Active().not_after, Day(19));
  EXPECT_EQ(Verified().keys()[0].not_after, Day(9));
  EXPECT_EQ(Verified().keys()[0].closes, Day(14));
  EXPECT_EQ(Verified().keys().size(), 2u);
}

TEST_F(KeyRingTest, ARotationCanBeSetForLater) {
  const HpkeKey first = Active();
  ASSERT_TRUE(ring_->Rotate(Day(4), random_).ok());
  EXPECT_THAT(States(), ElementsAre(v1::KEY_STATE_ACTIVE, v1::KEY_STATE_PENDING));
  EXPECT_EQ(Active().id, first.id);
  EXPECT_EQ(Active().not_after, Day(4));
  // And for another moment, as long as it has not come.
  ASSERT_TRUE(ring_->Rotate(Day(3), random_).ok());
  EXPECT_EQ(Verified().keys().size(), 2u);
  Until(Day(3));
  EXPECT_FALSE(Tend());
  EXPECT_NE(Active().id, first.id);
  EXPECT_EQ(Active().not_after, Day(13));
  EXPECT_TRUE(Opens(first));
}

TEST_F(KeyRingTest, ARotationInThePastOrAfterThePresentKeysEndIsRefused) {
  Until(Day(1));
  const std::string before = ring_->List().SerializeAsString();
  EXPECT_TRUE(absl::IsInvalidArgument(ring_->Rotate(Day(0), random_)));
  EXPECT_TRUE(absl::IsInvalidArgument(ring_->Rotate(Day(11), random_)));
  EXPECT_EQ(ring_->List().SerializeAsString(), before);
  EXPECT_TRUE(ring_->Rotate(Day(10), random_).ok());
}

// --- destruction by hand ---

TEST_F(KeyRingTest, ARetiredOrPendingKeyCanBeDestroyedAndTheActiveOneCannot) {
  const HpkeKey first = Active();
  EXPECT_TRUE(absl::IsFailedPrecondition(ring_->Destroy(first.id)));
  EXPECT_TRUE(Opens(first));
  EXPECT_TRUE(absl::IsNotFound(ring_->Destroy(KeyId{})));
  Until(Day(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  ASSERT_TRUE(ring_->Rotate(Day(2), random_).ok());
  const KeyId pending = Verified().keys()[2].id;
  ASSERT_TRUE(ring_->Destroy(first.id).ok());
  ASSERT_TRUE(ring_->Destroy(pending).ok());
  const uint64_t serial = ring_->serial();
  EXPECT_TRUE(ring_->Destroy(first.id).ok()) << "again is no error";
  EXPECT_EQ(ring_->serial(), serial);
  EXPECT_THAT(States(),
              ElementsAre(v1::KEY_STATE_DESTROYED, v1::KEY_STATE_ACTIVE, v1::KEY_STATE_DESTROYED));
  EXPECT_FALSE(std::filesystem::exists(KeyPath(first.id)));
  EXPECT_FALSE(std::filesystem::exists(KeyPath(pending)));
  EXPECT_EQ(Verified().keys().size(), 1u);
  // The pending one was to take over tomorrow: another is announced for it.
  EXPECT_TRUE(Tend());
  Until(Day(2));
  EXPECT_NE(Active().id, pending);
}

// The same random numbers again give the same key again.
TEST_F(KeyRingTest, AnIdThatWasUsedOnceIsNeverUsedAgain) {
  const KeyId first = Active().id;
  Until(Day(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  ASSERT_TRUE(ring_->Destroy(first).ok());
  Until(Day(2));
  SeededRandom again(1);
  EXPECT_EQ(ring_->Rotate(std::nullopt, again).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  for (size_t i = 1; i < History().size(); ++i) {
    EXPECT_NE(History()[i].key_id(), AsView(first));
  }
}

TEST_F(KeyRingTest, TimesThatMakeNoSenseAreRefused) {
  ring_.reset();
  const KeyTimes good = times_;
  const auto refused = [&](const KeyTimes& times, const char* named) {
    times_ = times;
    const absl::Status status = Open().status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(named));
  };
  KeyTimes times = good;
  times.lifetime = absl::ZeroDuration();
  refused(times, "--key-lifetime");
  times = good;
  times.announce = times.lifetime;
  refused(times, "--key-announce");
  times = good;
  times.window = -absl::Seconds(1);
  refused(times, "--key-window");
  times = good;
  times.delivery = absl::Milliseconds(1500);
  refused(times, "--key-delivery");
  times = good;
  times.lifetime = absl::Seconds(10);
  times.announce = absl::Seconds(1);
  refused(times, "at most 500 times");
}

TEST_F(KeyRingTest, InDoubtOfTheClockNoKeyBeginsEndsOrIsDestroyed) {
  const v1::KeyList before = ring_->List();
  clock_.SetDoubt(true);
  clock_.Advance(absl::Hours(24 * 3660));
  EXPECT_TRUE(absl::IsUnavailable(ring_->Tend(random_).status()));
  EXPECT_TRUE(absl::IsUnavailable(ring_->Rotate(std::nullopt, random_)));
  Restart();
  EXPECT_EQ(ring_->List().serial(), before.serial());
  EXPECT_EQ(ring_->List().keys(0).SerializeAsString(), before.keys(0).SerializeAsString());
  EXPECT_TRUE(absl::IsUnavailable(ring_->Tend(random_).status()));
  EXPECT_TRUE(absl::IsUnavailable(ring_->SignedList().status())) << "it cannot say when";
  clock_.Advance(-absl::Hours(24 * 3660));
  clock_.SetDoubt(false);
  EXPECT_TRUE(*ring_->Tend(random_)) << "the list is signed";
  EXPECT_EQ(Verified().keys().size(), 1u);
  EXPECT_EQ(Active().public_key,
            IdFromBytes<decltype(HpkeKey::public_key)>(before.keys(0).public_key()));
}

TEST_F(KeyRingTest, AListThatGetsOldIsSignedAnewUnderAHigherSerial) {
  renewal_ = absl::Hours(6);
  const KeyList first = Verified();
  EXPECT_EQ(first.issued(), clock_.Now());
  clock_.Advance(absl::Hours(6) - absl::Seconds(1));
  EXPECT_FALSE(*ring_->Tend(random_));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(*ring_->Tend(random_));
  EXPECT_EQ(Verified().issued(), clock_.Now());
  EXPECT_EQ(Verified().serial(), first.serial() + 1);
  ASSERT_EQ(Verified().keys().size(), 1u);
  EXPECT_EQ(Verified().keys()[0].id, first.keys()[0].id);
  clock_.Advance(absl::Minutes(1));
  Restart();
  EXPECT_EQ(Verified().issued(), clock_.Now()) << "and at every start";
  EXPECT_EQ(Verified().serial(), first.serial() + 2);
  // A clock that was believed, wrongly, and is put right: devices would take no list from the
  // future.
  clock_.Advance(-absl::Minutes(2));
  EXPECT_TRUE(*ring_->Tend(random_));
  EXPECT_EQ(Verified().issued(), clock_.Now());
}

}  // namespace
}  // namespace tombola::collector
