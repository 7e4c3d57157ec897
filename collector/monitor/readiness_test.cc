#include "collector/monitor/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

class ReadinessTest : public ::testing::Test {
 protected:
  std::string WhyNot() const { return std::string(readiness_.Ready().message()); }

  const std::shared_ptr<FakeSteadyClock> clock_ = std::make_shared<FakeSteadyClock>();
  Readiness readiness_{clock_};
};

TEST_F(ReadinessTest, SaysWhatTheWorkerSawLast) {
  EXPECT_TRUE(readiness_.Ready().ok());
  EXPECT_TRUE(readiness_.SawKeys(absl::UnavailableError("no room")));
  EXPECT_FALSE(readiness_.SawKeys(absl::UnavailableError("no room"))) << "it is known";
  EXPECT_THAT(WhyNot(), HasSubstr("keys_not_tended"));
  EXPECT_FALSE(readiness_.SawKeys(absl::OkStatus()));
  EXPECT_TRUE(readiness_.Ready().ok());
  EXPECT_TRUE(readiness_.SawStores(absl::DataLossError("gone")));
  EXPECT_FALSE(readiness_.SawStores(absl::DataLossError("gone")));
  EXPECT_THAT(WhyNot(), HasSubstr("database_failed"));
}

// Whoever asks waits for no store: one that hangs shows by the worker that comes back no more.
TEST_F(ReadinessTest, StoresThatHangAreNotReady) {
  clock_->Advance(absl::Seconds(30));
  EXPECT_TRUE(readiness_.Ready().ok());
  clock_->Advance(absl::Seconds(1));
  EXPECT_THAT(WhyNot(), HasSubstr("have not answered"));
  readiness_.SawStores(absl::OkStatus());
  EXPECT_TRUE(readiness_.Ready().ok());
}

TEST_F(ReadinessTest, IsOverWhenTheCollectorStops) {
  readiness_.Stop();
  EXPECT_THAT(WhyNot(), HasSubstr("stopping"));
}

}  // namespace
}  // namespace tombola::collector
