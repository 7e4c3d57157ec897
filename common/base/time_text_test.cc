#include "common/base/time_text.h"

#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(TimeText, IsInUtcToTheSecond) {
  EXPECT_EQ(TimeText(absl::FromUnixMillis(1'800'000'000'999)), "2027-01-15T08:00:00Z");
}

}  // namespace
}  // namespace tombola
