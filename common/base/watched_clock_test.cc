#include "common/base/watched_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/retry_after.h"
#include "common/disk/whole_file.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kDay = absl::Hours(24);

// A machine with a wall clock that can be set and a steady one that cannot.
class WatchedClockTest : public ::testing::Test {
 protected:
  WatchedClockTest() { steady_->Advance(absl::Hours(30)); }

  std::string Path() const { return directory_.In("clock"); }
  std::unique_ptr<WatchedClock> Start() {
    auto clock = std::make_unique<WatchedClock>(WatchedClockOptions{
        .wall = wall_,
        .steady = steady_,
        .boot = boot_,
        .path = Path(),
        .peer_objects = peer_objects_,
        .changed = [this](const absl::Status& status) { changes_.push_back(status); }});
    EXPECT_TRUE(clock->Keep().ok());
    return clock;
  }
  void Set(absl::Duration by) { wall_->Advance(by); }
  // Time passes, and somebody looks every ten seconds.
  void Pass(WatchedClock& clock, absl::Duration duration) {
    for (; duration > absl::ZeroDuration(); duration -= absl::Seconds(10)) {
      wall_->Advance(absl::Seconds(10));
      steady_->Advance(absl::Seconds(10));
      EXPECT_TRUE(clock.Keep().ok());
    }
  }
  void Sleep(absl::Duration duration) {  // and nobody looks
    wall_->Advance(duration);
    steady_->Advance(duration);
  }
  void StartMachineAnew() {
    steady_ = std::make_shared<FakeSteadyClock>();
    steady_->Advance(absl::Seconds(20));
    boot_ += "+";
  }
  static std::string DoubtOf(const WatchedClock& clock) {
    return std::string(clock.SureNow().status().message());
  }

  const ScratchDirectory directory_;
  std::shared_ptr<FakeClock> wall_ =
      std::make_shared<FakeClock>(absl::FromUnixSeconds(1'800'000'000));
  std::shared_ptr<FakeSteadyClock> steady_ = std::make_shared<FakeSteadyClock>();
  std::string boot_ = "boot-1";
  bool peer_objects_ = true;
  std::vector<absl::Status> changes_;
};

TEST_F(WatchedClockTest, IsSureAsLongAsNobodySetsIt) {
  const auto clock = Start();
  Pass(*clock, absl::Hours(3));
  Sleep(30 * kDay);
  const auto now = clock->SureNow();
  ASSERT_TRUE(now.ok()) << now.status();
  EXPECT_EQ(*now, wall_->Now());
  EXPECT_EQ(clock->Now(), wall_->Now());
  EXPECT_EQ(clock->Testimony(), wall_->Now());
  EXPECT_TRUE(changes_.empty());
}

TEST_F(WatchedClockTest, AStepIsDoubtUntilTheClockIsBack) {
  const auto clock = Start();
  for (const absl::Duration step : {absl::Hours(1), 91 * kDay, -absl::Hours(1), absl::Minutes(2)}) {
    changes_.clear();
    Set(step);
    const absl::Status doubt = clock->SureNow().status();
    EXPECT_TRUE(absl::IsUnavailable(doubt)) << doubt;
    EXPECT_THAT(std::string(doubt.message()),
                HasSubstr(step > absl::ZeroDuration() ? "ahead by" : "back by"));
    EXPECT_TRUE(RetryAfter(doubt).has_value());
    EXPECT_EQ(RefusalCause(doubt), "clock");
    EXPECT_EQ(clock->Testimony(), std::nullopt) << "a clock that was set is no evidence";
    Pass(*clock, absl::Seconds(30));
    EXPECT_FALSE(clock->SureNow().ok());
    Set(-step);
    EXPECT_TRUE(clock->SureNow().ok());
    ASSERT_EQ(changes_.size(), 2u);
    EXPECT_TRUE(absl::IsUnavailable(changes_[0]));
    EXPECT_TRUE(changes_[1].ok());
  }
}

TEST_F(WatchedClockTest, SmallStepsAreTakenButDoNotAddUp) {
  const auto clock = Start();
  Set(absl::Seconds(50));
  EXPECT_TRUE(clock->SureNow().ok());
  Set(absl::Seconds(50));
  EXPECT_FALSE(clock->SureNow().ok()) << "together they are a large one";
  Set(-absl::Seconds(50));
  Pass(*clock, absl::Hours(1));
  Set(absl::Seconds(50));
  EXPECT_TRUE(clock->SureNow().ok()) << "an hour later the first has been followed";
}

TEST_F(WatchedClockTest, ATimeThatStandsFirmForAnHourIsBelieved) {
  const auto clock = Start();
  Set(absl::Hours(5));
  Pass(*clock, absl::Minutes(59));
  EXPECT_FALSE(clock->SureNow().ok());
  Set(-absl::Hours(2));  // it moves again: the hour begins anew
  Pass(*clock, absl::Minutes(59));
  EXPECT_FALSE(clock->SureNow().ok());
  Pass(*clock, absl::Minutes(2));
  EXPECT_TRUE(clock->SureNow().ok());
  Set(-absl::Hours(3));
  EXPECT_FALSE(clock->SureNow().ok()) << "what was believed is what is expected now";
}

TEST_F(WatchedClockTest, TheOtherPartysWordEndsDoubtAtOnce) {
  const auto clock = Start();
  const absl::Time truth = wall_->Now();
  Set(91 * kDay);
  clock->Heard(truth);
  EXPECT_THAT(DoubtOf(*clock), HasSubstr("away from the other party's"));
  clock->Heard(wall_->Now() + absl::Minutes(4));
  EXPECT_TRUE(clock->SureNow().ok()) << "it was set right";
}

TEST_F(WatchedClockTest, TheOtherPartysObjectionIsDoubtUntilItIsWithdrawnOrAnHourOld) {
  const auto clock = Start();
  clock->Heard(wall_->Now() + absl::Minutes(6));
  EXPECT_FALSE(clock->SureNow().ok());
  EXPECT_EQ(clock->Testimony(), std::nullopt);
  clock->Heard(std::nullopt);
  EXPECT_TRUE(clock->SureNow().ok()) << "it is in doubt of its own clock";
  EXPECT_TRUE(clock->PeerIsInDoubt());
  clock->Heard(wall_->Now() - absl::Minutes(6));
  EXPECT_FALSE(clock->PeerIsInDoubt());
  Pass(*clock, absl::Minutes(59));
  EXPECT_FALSE(clock->SureNow().ok());
  Pass(*clock, absl::Minutes(2));
  EXPECT_TRUE(clock->SureNow().ok());
}

TEST_F(WatchedClockTest, AnAnswerThatTookTooLongIsPassedOver) {
  const auto clock = Start();
  clock->Heard(wall_->Now() - absl::Hours(1), absl::Hours(1));
  EXPECT_TRUE(clock->SureNow().ok());
  clock->Heard(wall_->Now() - absl::Hours(1), absl::Minutes(5));
  EXPECT_FALSE(clock->SureNow().ok());
}

TEST_F(WatchedClockTest, NoTimeIsFirmWhileTheOtherPartyObjects) {
  const auto clock = Start();
  Set(91 * kDay);
  for (int minute = 0; minute < 180; ++minute) {
    Pass(*clock, absl::Minutes(1));
    clock->Heard(wall_->Now() - 91 * kDay);
    ASSERT_FALSE(clock->SureNow().ok());
  }
}

TEST_F(WatchedClockTest, AnotherPartyThatMayNotObjectOnlyEndsDoubt) {
  peer_objects_ = false;
  const auto clock = Start();
  clock->Heard(wall_->Now() + kDay);
  EXPECT_TRUE(clock->SureNow().ok());
  Set(kDay);
  EXPECT_TRUE(clock->SureNow().ok()) << "what it said before agrees with the new time";
  Set(kDay);
  EXPECT_FALSE(clock->SureNow().ok());
  clock->Heard(wall_->Now());
  EXPECT_TRUE(clock->SureNow().ok());
}

TEST_F(WatchedClockTest, AnotherPartyThatMayNotObjectKeepsDoubtWhileItDisagrees) {
  peer_objects_ = false;
  const auto clock = Start();
  Set(kDay);
  for (int i = 0; i < 200; ++i) {
    Pass(*clock, absl::Minutes(1));
    clock->Heard(wall_->Now() - kDay);
  }
  EXPECT_FALSE(clock->SureNow().ok()) << "it stood firm for hours, and was contradicted all along";
  Pass(*clock, absl::Hours(2));
  Pass(*clock, absl::Hours(2));
  EXPECT_TRUE(clock->SureNow().ok()) << "nobody contradicts it any more";
}

TEST_F(WatchedClockTest, ARestartOfTheProcessIsNoGap) {
  Pass(*Start(), absl::Hours(2));
  Sleep(3 * kDay);
  EXPECT_TRUE(Start()->SureNow().ok());
  Set(absl::Hours(1));
  const auto clock = Start();
  EXPECT_THAT(DoubtOf(*clock), HasSubstr("set ahead by 1h"));
  EXPECT_FALSE(Start()->SureNow().ok()) << "a second restart does not confirm it";
  Set(-absl::Hours(1));
  EXPECT_TRUE(clock->SureNow().ok());
}

TEST_F(WatchedClockTest, AfterTheMachineHasStartedAnewSomebodyMustConfirmTheTime) {
  Pass(*Start(), absl::Hours(2));
  StartMachineAnew();
  Set(absl::Hours(1));
  const auto clock = Start();
  EXPECT_THAT(DoubtOf(*clock), HasSubstr("nobody has confirmed"));
  EXPECT_EQ(clock->Testimony(), wall_->Now()) << "or two of them would wait for each other";
  clock->Heard(wall_->Now() - absl::Minutes(1));
  EXPECT_TRUE(clock->SureNow().ok());
  EXPECT_TRUE(clock->Keep().ok());
  EXPECT_TRUE(Start()->SureNow().ok());

  StartMachineAnew();
  const auto alone = Start();
  Pass(*alone, absl::Minutes(59));
  EXPECT_FALSE(alone->SureNow().ok());
  Pass(*alone, absl::Minutes(2));
  EXPECT_TRUE(alone->SureNow().ok());
}

TEST_F(WatchedClockTest, AStartBeforeTheLastSureTimeIsBelievedOnTheOtherPartysWordOnly) {
  Pass(*Start(), absl::Hours(2));
  StartMachineAnew();
  Set(-10000 * kDay);  // its battery is empty
  const auto clock = Start();
  Pass(*clock, absl::Hours(3));
  EXPECT_THAT(DoubtOf(*clock), HasSubstr("before the last sure one"));
  EXPECT_EQ(clock->Testimony(), std::nullopt);
  clock->Heard(wall_->Now());
  EXPECT_TRUE(clock->SureNow().ok());
}

TEST_F(WatchedClockTest, WhoRemovesTheFileVouchesForTheTime) {
  Pass(*Start(), absl::Hours(2));
  Set(kDay);
  EXPECT_FALSE(Start()->SureNow().ok());
  std::filesystem::remove(Path());
  EXPECT_TRUE(Start()->SureNow().ok());
}

TEST_F(WatchedClockTest, ADamagedFileIsNoHistoryAndNoTrust) {
  for (const char* content : {"", "1 boot-1 x 5\n", "2 boot-1 1800000000 108000\n", "1 boot-1\n"}) {
    ASSERT_TRUE(ReplaceFile(Path(), content).ok());
    EXPECT_FALSE(Start()->SureNow().ok()) << content;
  }
}

TEST_F(WatchedClockTest, WritesTheDocumentedLineAtFixedTimes) {
  const auto clock = Start();
  EXPECT_EQ(*ReadSmallFile(Path()), "1 boot-1 1800000000 108000\n");
  Pass(*clock, absl::Minutes(9));
  EXPECT_EQ(*ReadSmallFile(Path()), "1 boot-1 1800000000 108000\n");
  Pass(*clock, absl::Minutes(1));
  EXPECT_EQ(*ReadSmallFile(Path()), "1 boot-1 1800000600 108600\n");
  Set(kDay);
  Pass(*clock, absl::Minutes(30));
  EXPECT_EQ(*ReadSmallFile(Path()), "1 boot-1 1800000600 108600\n") << "in doubt nothing is sure";
}

TEST_F(WatchedClockTest, AFileThatCannotBeWrittenIsTriedAgain) {
  const auto clock = Start();
  std::filesystem::remove(Path());
  std::filesystem::create_directory(Path());
  std::filesystem::create_directory(Path() + "/in the way");
  Sleep(absl::Hours(1));
  EXPECT_FALSE(clock->Keep().ok());
  std::filesystem::remove_all(Path());
  EXPECT_TRUE(clock->Keep().ok());
  EXPECT_TRUE(std::filesystem::exists(Path()));
}

TEST(BootClockTest, DoesNotGoBackAndHasANameOnLinux) {
  const BootClock clock;
  const absl::Duration first = clock.Now();
  EXPECT_GE(clock.Now(), first);
  EXPECT_FALSE(BootId().empty());
}

}  // namespace
}  // namespace tombola
