#include "common/task/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tombola/v1/collector.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

Progress Valid() {
  Progress progress{.task = {}, .held_percent = 35, .expired = 12};
  progress.task.fill(7);
  progress.time = absl::FromUnixMillis(1'900'000'000'123);
  return progress;
}

TEST(ProgressTest, IsReadAsItWasWritten) {
  const auto again = Progress::Parse(Valid().Serialise());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->task, Valid().task);
  EXPECT_EQ(again->held_percent, 35u);
  EXPECT_EQ(again->expired, 12);
  EXPECT_EQ(again->time, Valid().time);
}

TEST(ProgressTest, EveryFieldHasItsBounds) {
  const std::pair<std::function<void(v1::Progress*)>, const char*> kBad[] = {
      {[](auto* p) { p->set_task_id("x"); }, "task_id"},
      {[](auto* p) { p->set_held_percent(105); }, "held_percent"},
      {[](auto* p) { p->set_held_percent(33); }, "steps of 5"},
      {[](auto* p) { p->set_expired(uint64_t{1} << 63); }, "expired"},
      {[](auto* p) { p->clear_time(); }, "time"},
      {[](auto* p) { p->set_time(-1); }, "time"}};
  for (const auto& [change, names] : kBad) {
    v1::Progress wire;
    ASSERT_TRUE(wire.ParseFromString(Valid().Serialise()));
    change(&wire);
    const absl::Status status = Progress::Parse(wire.SerializeAsString()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << names;
    EXPECT_THAT(std::string(status.message()), HasSubstr(names));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Progress::Parse("\x0a\x64x").status()));
}

}  // namespace
}  // namespace tombola
