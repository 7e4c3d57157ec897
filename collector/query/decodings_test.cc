#include "collector/query/decodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/base/mutex.h"
#include "common/base/retry_after.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace tombola::collector {
namespace {

Decodings::Key KeyOf(uint8_t number) { return Decodings::Key{number}; }

// A search that goes on until it is let go.
class Held {
 public:
  Decodings::Work Work() {
    return [this](const Decodings::Progress& progress) -> absl::StatusOr<FoundStrings> {
      ++begun_;
      while (true) {
        if (!progress({.level = 1, .tests = 3, .all = 4})) {
          ended_ = true;
          return absl::CancelledError("ended");
        }
        MutexLock lock(mutex_);
        if (!outcome_.ok()) return outcome_;
        if (free_)
          return FoundStrings{.totals = {}, .decoded = {.strings = {}, .levels = {}, .tests = 7}};
      }
    };
  }
  void LetGo(absl::Status outcome = absl::OkStatus()) {
    MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    free_ = true;
  }
  int begun() const { return begun_; }
  bool ended() const { return ended_; }

 private:
  Mutex mutex_;
  absl::Status outcome_ ABSL_GUARDED_BY(mutex_);
  bool free_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<int> begun_ = 0;
  std::atomic<bool> ended_ = false;
};

class DecodingsTest : public ::testing::Test {
 protected:
  const std::shared_ptr<FakeSteadyClock> clock_ = std::make_shared<FakeSteadyClock>();
  Held held_;
  Decodings decodings_{{.waiting = 2, .kept = 1, .patience = absl::Seconds(30)}, clock_};

  bool Found(const Decodings::Key& key, const Decodings::Work& work) {
    const auto state = decodings_.Ask(key, work);
    return state.ok() && state->found != nullptr;
  }
};

TEST_F(DecodingsTest, SaysHowFarASearchIsAndThenWhatItFound) {
  const auto first = decodings_.Ask(KeyOf(1), held_.Work());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->found, nullptr);
  EXPECT_TRUE(Eventually([&] {
    const auto state = decodings_.Ask(KeyOf(1), held_.Work());
    return state.ok() && state->progress.tests == 3 && state->progress.all == 4;
  }));
  held_.LetGo();
  EXPECT_TRUE(Eventually([&] { return Found(KeyOf(1), held_.Work()); }));
  const auto again = decodings_.Ask(KeyOf(1), held_.Work());
  EXPECT_EQ(again->found->decoded.tests, 7);
  EXPECT_EQ(held_.begun(), 1);
}

TEST_F(DecodingsTest, OneSearchesAndOthersWaitTheirTurnUpToABound) {
  ASSERT_TRUE(decodings_.Ask(KeyOf(1), held_.Work()).ok());
  const auto second = decodings_.Ask(KeyOf(2), held_.Work());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ahead, 1);
  const auto third = decodings_.Ask(KeyOf(3), held_.Work());
  EXPECT_TRUE(absl::IsResourceExhausted(third.status())) << third.status();
  EXPECT_TRUE(RetryAfter(third.status()).has_value());
  EXPECT_LE(held_.begun(), 1);
  held_.LetGo();
  EXPECT_TRUE(Eventually([&] { return Found(KeyOf(2), held_.Work()); }));
}

TEST_F(DecodingsTest, GivesUpWhatNobodyAsksForAnyMore) {
  ASSERT_TRUE(decodings_.Ask(KeyOf(1), held_.Work()).ok());
  EXPECT_TRUE(Eventually([&] { return held_.begun() == 1; }));
  clock_->Advance(absl::Seconds(31));
  EXPECT_TRUE(Eventually([&] { return held_.ended(); }));
  // Whoever comes back begins another.
  EXPECT_TRUE(Eventually([&] {
    const auto state = decodings_.Ask(KeyOf(1), held_.Work());
    return state.ok() && held_.begun() == 2;
  }));
  held_.LetGo();
}

TEST_F(DecodingsTest, SaysOnceWhyASearchFailed) {
  ASSERT_TRUE(decodings_.Ask(KeyOf(1), held_.Work()).ok());
  held_.LetGo(absl::InvalidArgumentError("dictionary: string 2: not UTF-8"));
  EXPECT_TRUE(Eventually(
      [&] { return absl::IsInvalidArgument(decodings_.Ask(KeyOf(1), held_.Work()).status()); }));
}

TEST_F(DecodingsTest, KeepsTheOutcomesThatWereAskedForLast) {
  held_.LetGo();
  EXPECT_TRUE(Eventually([&] { return Found(KeyOf(1), held_.Work()); }));
  clock_->Advance(absl::Seconds(1));
  EXPECT_TRUE(Eventually([&] { return Found(KeyOf(2), held_.Work()); }));
  EXPECT_FALSE(Found(KeyOf(1), held_.Work()));
}

TEST(DecodingsEndTest, ASearchDoesNotOutliveThem) {
  Held held;
  {
    Decodings decodings({}, std::make_shared<FakeSteadyClock>());
    ASSERT_TRUE(decodings.Ask(KeyOf(1), held.Work()).ok());
  }
  EXPECT_TRUE(held.begun() == 0 || held.ended());
}

}  // namespace
}  // namespace tombola::collector
