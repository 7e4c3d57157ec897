#include "common/task/shuffler_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "tombola/v1/collector.pb.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

ShufflerTime Valid() {
  ShufflerTime time{.time = absl::FromUnixMillis(1'900'000'000'123)};
  time.shuffler_key.fill(7);
  return time;
}

TEST(ShufflerTimeTest, IsReadAsItWasWritten) {
  const auto again = ShufflerTime::Parse(Valid().Serialise());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->shuffler_key, Valid().shuffler_key);
  EXPECT_EQ(again->time, Valid().time);
}

TEST(ShufflerTimeTest, EveryFieldHasItsBounds) {
  const std::pair<std::function<void(v1::ShufflerTime*)>, const char*> kBad[] = {
      {[](auto* t) { t->set_shuffler_key("x"); }, "shuffler_key"},
      {[](auto* t) { t->clear_time(); }, "time.time"},
      {[](auto* t) { t->set_time(-1); }, "time.time"}};
  for (const auto& [change, names] : kBad) {
    v1::ShufflerTime wire;
    ASSERT_TRUE(wire.ParseFromString(Valid().Serialise()));
    change(&wire);
    const absl::Status status = ShufflerTime::Parse(wire.SerializeAsString()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << names;
    EXPECT_THAT(std::string(status.message()), HasSubstr(names));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ShufflerTime::Parse("\x0a\x64x").status()));
}

}  // namespace
}  // namespace tombola
