#include "common/base/time_text.h"

#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(TimeText, IsInUtcToTheSecond) {
  EXPECT_EQ(TimeText(absl::FromUnixMillis(1'800'000'000'999)), "2027-01-15T08:00:00Z");
}

TEST(ParseMoment, ReadsTimesWithAnOffsetAndDatesInUtc) {
  EXPECT_EQ(ParseMoment("2027-01-15T08:00:00Z"), absl::FromUnixSeconds(1'800'000'000));
  EXPECT_EQ(ParseMoment("2027-01-15T09:00:00+01:00"), absl::FromUnixSeconds(1'800'000'000));
  EXPECT_EQ(ParseMoment("2027-01-15"), absl::FromUnixSeconds(1'800'000'000 - 8 * 3600));
  for (const char* wrong :
       {"", "noon", "2027-01-15T08:00:00", "2027-13-01", "1969-12-31", "infinite-future"}) {
    EXPECT_FALSE(ParseMoment(wrong).has_value()) << wrong;
  }
}

TEST(WholeSeconds, AreRoundedUp) {
  EXPECT_EQ(WholeSeconds(absl::FromUnixMillis(1'800'000'000'000)), 1'800'000'000);
  EXPECT_EQ(WholeSeconds(absl::FromUnixMillis(1'800'000'000'001)), 1'800'000'001);
  EXPECT_EQ(WholeSeconds(absl::UnixEpoch()), 1);
}

TEST(ParseDuration, ReadsDaysBeforeWhatAbslReads) {
  EXPECT_EQ(ParseDuration("30d"), absl::Hours(720));
  EXPECT_EQ(ParseDuration("0d"), absl::ZeroDuration());
  EXPECT_EQ(ParseDuration("1d12h"), absl::Hours(36));
  EXPECT_EQ(ParseDuration("2d90s"), absl::Hours(48) + absl::Seconds(90));
  EXPECT_EQ(ParseDuration("1h30m"), absl::Minutes(90));
  EXPECT_EQ(ParseDuration("-5m"), -absl::Minutes(5));
  EXPECT_EQ(ParseDuration("inf"), absl::InfiniteDuration());
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const char* wrong : {"", "d", "30", "1.5d", "-1d", "+1d", "1d-2h", "1d 2h", "2h1d", "1d1d",
                            "1dd", " 1d", "1234567d", "days"}) {
    EXPECT_FALSE(ParseDuration(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace tombola
