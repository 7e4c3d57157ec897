#include "shuffler/forward/pauses.h"

#include <gtest/gtest.h>

namespace tombola::shuffler {
namespace {

constexpr BatchId kOne = {1}, kOther = {2};
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

// How long the batch is not due from `now` on, in seconds.
int64_t Pause(const Pauses& pauses, const BatchId& batch, absl::Time now) {
  int64_t seconds = 0;
  while (!pauses.Due(batch, now + absl::Seconds(seconds))) ++seconds;
  return seconds;
}

TEST(Pauses, DoubleFromOneSecondToFiveMinutesForEachBatchByItself) {
  Pauses pauses;
  EXPECT_TRUE(pauses.Due(kOne, kStart));
  for (const int64_t expected : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    pauses.Failed(kOne, kStart);
    EXPECT_EQ(Pause(pauses, kOne, kStart), expected);
    EXPECT_TRUE(pauses.Due(kOther, kStart));
  }
}

TEST(Pauses, BeginAnewAfterASuccessAndAfterAReset) {
  Pauses pauses;
  for (int i = 0; i < 5; ++i) pauses.Failed(kOne, kStart);
  pauses.Succeeded(kOne);
  EXPECT_TRUE(pauses.Due(kOne, kStart));
  pauses.Failed(kOne, kStart);
  EXPECT_EQ(Pause(pauses, kOne, kStart), 1);
  pauses.Failed(kOther, kStart);
  pauses.Reset();
  EXPECT_TRUE(pauses.Due(kOne, kStart));
  EXPECT_TRUE(pauses.Due(kOther, kStart));
}

TEST(Pauses, AClockThatIsSetBackDoesNotStopThem) {
  Pauses pauses;
  pauses.Failed(kOne, kStart);
  EXPECT_FALSE(pauses.Due(kOne, kStart));
  EXPECT_TRUE(pauses.Due(kOne, kStart - absl::Hours(1)));
}

}  // namespace
}  // namespace tombola::shuffler
