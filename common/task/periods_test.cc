#include "common/task/periods.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"

namespace tombola {
namespace {

const absl::Time kBegin = absl::FromUnixSeconds(1'800'000'000);

absl::Time Hour(double hours) { return kBegin + absl::Hours(hours); }

TEST(PeriodsTest, CutsTheTasksTimeIntoPeriodsOfOneLengthAndTheRest) {
  const Periods days(kBegin, Hour(60), absl::Hours(24));
  EXPECT_EQ(days.count(), 3u);
  EXPECT_EQ(days.Begins(1), kBegin);
  EXPECT_EQ(days.Ends(1), Hour(24));
  EXPECT_EQ(days.Begins(3), Hour(48));
  EXPECT_EQ(days.Ends(3), Hour(60)) << "the task ends first";
  EXPECT_EQ(Periods(kBegin, Hour(48), absl::Hours(24)).count(), 2u);
  EXPECT_EQ(Periods(kBegin, Hour(1), absl::Hours(24)).count(), 1u);
  EXPECT_FALSE(days.Has(0));
  EXPECT_TRUE(days.Has(3));
  EXPECT_FALSE(days.Has(4));
}

TEST(PeriodsTest, EveryMomentOfTheTaskIsInOnePeriod) {
  const Periods days(kBegin, Hour(60), absl::Hours(24));
  EXPECT_EQ(days.At(Hour(-1)), 1u);
  EXPECT_EQ(days.At(kBegin), 1u);
  EXPECT_EQ(days.At(Hour(24) - absl::Seconds(1)), 1u);
  EXPECT_EQ(days.At(Hour(24)), 2u);
  EXPECT_EQ(days.At(Hour(59)), 3u);
  EXPECT_EQ(days.At(Hour(60)), 3u);
  EXPECT_EQ(days.At(Hour(1000)), 3u);
  for (double hour = 0; hour < 60; hour += 0.5) {
    const uint64_t period = days.At(Hour(hour));
    EXPECT_LE(days.Begins(period), Hour(hour));
    EXPECT_GT(days.Ends(period), Hour(hour));
  }
}

TEST(PeriodsTest, TakesSubmissionsALittleBeforeAndAfterItsOwnTime) {
  const Periods days(kBegin, Hour(60), absl::Hours(24));
  EXPECT_EQ(days.grace(), absl::Minutes(10));
  EXPECT_EQ(days.Opens(2), Hour(24) - absl::Minutes(10));
  EXPECT_EQ(days.Closes(2), Hour(48) + absl::Minutes(10));
  EXPECT_EQ(Periods(kBegin, Hour(1), absl::Seconds(5)).grace(), absl::Milliseconds(500));
}

TEST(PeriodsTest, FindsThePeriodsOfATime) {
  const Periods days(kBegin, Hour(60), absl::Hours(24));
  EXPECT_EQ(days.LastBefore(kBegin), 0u);
  EXPECT_EQ(days.LastBefore(kBegin + absl::Seconds(1)), 1u);
  EXPECT_EQ(days.LastBefore(Hour(24)), 1u) << "the second begins then, not before";
  EXPECT_EQ(days.LastBefore(Hour(25)), 2u);
  EXPECT_EQ(days.LastBefore(Hour(500)), 3u);
}

TEST(PeriodsTest, IsClosedWhenTheGraceIsOver) {
  const Periods days(kBegin, Hour(60), absl::Hours(24));
  EXPECT_EQ(days.LastClosed(Hour(-5)), 0u);
  EXPECT_EQ(days.LastClosed(kBegin), 0u);
  EXPECT_EQ(days.LastClosed(Hour(24) + absl::Minutes(10) - absl::Seconds(1)), 0u);
  EXPECT_EQ(days.LastClosed(Hour(24) + absl::Minutes(10)), 1u);
  EXPECT_EQ(days.LastClosed(Hour(60)), 2u);
  EXPECT_EQ(days.LastClosed(Hour(61)), 3u);
}

}  // namespace
}  // namespace tombola
