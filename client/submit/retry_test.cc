#include "client/submit/retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/base/retry_after.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::client {
namespace {

// Retries against a script; a pause moves the clock and nothing else does unless a test does so.
class RetryTest : public ::testing::Test {
 protected:
  // The attempts return `statuses` in turn, the last one for ever.
  absl::Status Run(const std::vector<absl::Status>& statuses) {
    return Retry(options_, clock_, random_, pause_, [&](absl::Duration limit) {
      limits_.push_back(limit);
      starts_.push_back(clock_.Now());
      clock_.Advance(attempt_takes_);
      return statuses[std::min(limits_.size(), statuses.size()) - 1];
    });
  }

  RetryOptions options_;
  const absl::Time start_ = absl::FromUnixSeconds(1'800'000'000);
  FakeClock clock_{start_};
  SeededRandom random_{1};
  absl::Duration attempt_takes_;
  std::vector<absl::Duration> pauses_;
  std::function<void(absl::Duration)> pause_ = [this](absl::Duration duration) {
    pauses_.push_back(duration);
    clock_.Advance(duration);
  };
  std::vector<absl::Duration> limits_;  // of each attempt
  std::vector<absl::Time> starts_;
};

TEST(IsTransientTest, OnlyWhatAnotherAttemptMayCure) {
  for (int code = 0; code <= 16; ++code) {
    const bool expected = code == static_cast<int>(absl::StatusCode::kUnavailable) ||
                          code == static_cast<int>(absl::StatusCode::kDeadlineExceeded) ||
                          code == static_cast<int>(absl::StatusCode::kResourceExhausted) ||
                          code == static_cast<int>(absl::StatusCode::kAborted) ||
                          code == static_cast<int>(absl::StatusCode::kCancelled);
    EXPECT_EQ(IsTransient(absl::Status(static_cast<absl::StatusCode>(code), "")), expected) << code;
  }
}

TEST_F(RetryTest, ASuccessIsNotRepeated) {
  EXPECT_TRUE(Run({absl::OkStatus()}).ok());
  EXPECT_EQ(limits_, std::vector<absl::Duration>{options_.attempt_timeout});
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(RetryTest, TriesAgainUntilItSucceeds) {
  EXPECT_TRUE(Run({absl::UnavailableError("away"), absl::AbortedError("lost"),
                   absl::ResourceExhaustedError("busy"), absl::DeadlineExceededError("slow"),
                   absl::OkStatus()})
                  .ok());
  EXPECT_EQ(limits_.size(), 5u);
  EXPECT_EQ(pauses_.size(), 4u);
}

TEST_F(RetryTest, WhatFailsForGoodIsReturnedAtOnce) {
  const absl::Status status = Run({absl::UnavailableError("away"), absl::NotFoundError("gone")});
  EXPECT_EQ(status, absl::NotFoundError("gone"));
  EXPECT_EQ(limits_.size(), 2u);
}

TEST_F(RetryTest, PausesDoubleUpToTheLongestAndAreDrawnFromTheUpperHalf) {
  options_.timeout = absl::Minutes(2);
  Run({absl::UnavailableError("away")}).IgnoreError();
  ASSERT_GE(pauses_.size(), 12u);
  absl::Duration longest = absl::Milliseconds(100);
  for (const absl::Duration pause : pauses_) {
    EXPECT_GE(pause, longest / 2);
    EXPECT_LE(pause, longest);
    longest = std::min(2 * longest, absl::Seconds(10));
  }
}

// The mean of 4,000 draws from [50, 100] ms has the deviation 50 / sqrt(12 * 4000) = 0.23 ms; six
// of them fail with probability 2e-9.
TEST_F(RetryTest, PausesAreUniformSoThatDevicesDoNotReturnTogether) {
  for (int i = 0; i < 4000; ++i) {
    limits_.clear();
    EXPECT_TRUE(Run({absl::UnavailableError("away"), absl::OkStatus()}).ok());
  }
  ASSERT_EQ(pauses_.size(), 4000u);
  const absl::Duration sum = std::accumulate(pauses_.begin(), pauses_.end(), absl::ZeroDuration());
  EXPECT_NEAR(absl::ToDoubleMilliseconds(sum) / 4000, 75, 6 * 0.23);
  EXPECT_LT(*std::min_element(pauses_.begin(), pauses_.end()), absl::Milliseconds(51));
  EXPECT_GT(*std::max_element(pauses_.begin(), pauses_.end()), absl::Milliseconds(99));
}

TEST_F(RetryTest, ReturnsTheLastStatusWhenTheTimeIsUp) {
  const absl::Status status =
      Run({absl::AbortedError("first"), absl::UnavailableError("the last one")});
  EXPECT_EQ(status, absl::UnavailableError("the last one"));
  EXPECT_GT(limits_.size(), 3u);
  EXPECT_LT(clock_.Now(), start_ + options_.timeout);
}

TEST_F(RetryTest, AnAttemptGetsNoMoreThanTheTimeThatIsLeft) {
  options_.timeout = absl::Seconds(25);
  attempt_takes_ = absl::Seconds(10);
  Run({absl::DeadlineExceededError("slow")}).IgnoreError();
  ASSERT_EQ(limits_.size(), 3u);
  EXPECT_EQ(limits_[0], absl::Seconds(10));
  EXPECT_EQ(limits_[1], absl::Seconds(10));
  EXPECT_EQ(limits_[2], start_ + options_.timeout - starts_[2]);
  EXPECT_LT(limits_[2], absl::Seconds(5));
}

TEST_F(RetryTest, WaitsAsLongAsTheShufflerAsksAndUpToHalfAsLongAgain) {
  const absl::Status busy = Refusal("calls", "busy", absl::Seconds(4));
  for (int i = 0; i < 200; ++i) {
    limits_.clear();
    EXPECT_TRUE(Run({busy, absl::OkStatus()}).ok());
  }
  ASSERT_EQ(pauses_.size(), 200u);
  const auto [least, most] = std::minmax_element(pauses_.begin(), pauses_.end());
  EXPECT_GE(*least, absl::Seconds(4));
  EXPECT_LT(*most, absl::Seconds(6));
  // 200 uniform draws all within 80 % of the range: 200 * 0.8^199, below 1e-17.
  EXPECT_GT(*most - *least, absl::Seconds(1.6));
}

TEST_F(RetryTest, AShortWaitDoesNotShortenItsOwnPatience) {
  options_.first_pause = absl::Seconds(2);
  Run({Refusal("calls", "busy", absl::Milliseconds(1)), absl::OkStatus()}).IgnoreError();
  ASSERT_EQ(pauses_.size(), 1u);
  EXPECT_GE(pauses_[0], absl::Seconds(1));
}

TEST_F(RetryTest, ReturnsAtOnceIfTheShufflerAsksForMoreTimeThanThereIs) {
  const absl::Status full = Refusal("outbox", "full", absl::Minutes(1));
  EXPECT_EQ(Run({full}), full);
  EXPECT_EQ(limits_.size(), 1u);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(RetryTest, DoesNotTryOnceMoreAfterAPauseThatTookTooLong) {
  pause_ = [this](absl::Duration) { clock_.Advance(absl::Minutes(5)); };
  EXPECT_EQ(Run({absl::UnavailableError("away")}), absl::UnavailableError("away"));
  EXPECT_EQ(limits_.size(), 1u);
}

}  // namespace
}  // namespace tombola::client
