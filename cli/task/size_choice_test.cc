#include "cli/task/size_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using Reason = SizeChoice::Reason;

constexpr uint64_t kAnyNumber = 1000;

// Of a task whose answer has this half width.
v1::Sizes SizesOf(const std::vector<double>& shares, double half) {
  v1::Sizes sizes;
  sizes.mutable_shares()->Add(shares.begin(), shares.end());
  sizes.set_full(shares.back());
  sizes.set_full_low(shares.back() - half);
  sizes.set_full_high(shares.back() + half);
  return sizes;
}

TEST(ChooseSizeTest, TakesTheFewestThatSurelyFewExceed) {
  // More than 2: 0.06 %; more than 1: 20.06 %.
  const v1::Sizes sizes = SizesOf({0.1, 0.6994, 0.2, 0.0004, 0.0002, 0}, 0.0003);
  const SizeChoice choice = ChooseSize(sizes, kAnyNumber);
  EXPECT_EQ(choice.max_items, 2u);
  EXPECT_EQ(choice.reason, Reason::kEnough);
  EXPECT_NEAR(choice.bound, 0.0009, 1e-12);
  EXPECT_EQ(Describe(choice, sizes, "apps"),
            "--max-items 2: at most 0.09 % of the devices of \"apps\" hold more\n");
}

TEST(ChooseSizeTest, TheErrorCounts) {
  // The same shares: now only those with more than 3, 0.02 %, are surely below 0.1 %.
  EXPECT_EQ(
      ChooseSize(SizesOf({0.1, 0.6994, 0.2, 0.0004, 0.0002, 0}, 0.0005), kAnyNumber).max_items, 3u);
}

TEST(ChooseSizeTest, ABoundOfExactlyTheLimitIsNotBelowIt) {
  EXPECT_EQ(ChooseSize(SizesOf({0.5, 0.5, 0, 0}, kMostBeyond), kAnyNumber).reason, Reason::kKept);
  EXPECT_EQ(ChooseSize(SizesOf({0.5, 0.5, 0, 0}, 0.999 * kMostBeyond), kAnyNumber).max_items, 1u);
}

// Noise must not let a small size through once a larger one has failed.
TEST(ChooseSizeTest, StopsAtTheFirstThatFails) {
  const SizeChoice choice =
      ChooseSize(SizesOf({0.9995, 0, -0.002, 0.002, 0.0003, 0.0002}, 0.0001), kAnyNumber);
  EXPECT_EQ(choice.reason, Reason::kEnough);
  EXPECT_EQ(choice.max_items, 3u);
}

TEST(ChooseSizeTest, TakesOneAtLeast) {
  EXPECT_EQ(ChooseSize(SizesOf({1, 0, 0, 0}, 1e-5), kAnyNumber).max_items, 1u);
  EXPECT_EQ(ChooseSize(SizesOf({1, 0}, 1e-5), kAnyNumber).max_items, 1u);
}

TEST(ChooseSizeTest, DoublesWhereDevicesSurelyFillAllPlaces) {
  const v1::Sizes sizes = SizesOf({0.2, 0.3, 0.3, 0.2}, 0.01);
  const SizeChoice choice = ChooseSize(sizes, kAnyNumber);
  EXPECT_EQ(choice.max_items, 6u);
  EXPECT_EQ(choice.reason, Reason::kDoubled);
  EXPECT_NEAR(choice.bound, 0.21, 1e-12);
  EXPECT_THAT(Describe(choice, sizes, "apps"),
              HasSubstr("--max-items 6, twice that of \"apps\": 20 % of its devices fill all 3"));
  EXPECT_EQ(ChooseSize(SizesOf({0.5, 0.49, 0.0015}, 0.001), kAnyNumber).max_items, 4u);
}

TEST(ChooseSizeTest, KeepsWhatAnUncertainAnswerCannotJudge) {
  const v1::Sizes sizes = SizesOf({0.2, 0.5, 0.3, 0.002}, 0.006);
  const SizeChoice choice = ChooseSize(sizes, kAnyNumber);
  EXPECT_EQ(choice.max_items, 3u);
  EXPECT_EQ(choice.reason, Reason::kKept);
  EXPECT_THAT(
      Describe(choice, sizes, "apps"),
      HasSubstr("! --max-items 3, that of \"apps\": its answer cannot tell whether none or up "
                "to 0.8 % of its devices fill all 3 places"));
}

TEST(ChooseSizeTest, IsNeverMoreThanADeviceCanHold) {
  const v1::Sizes sizes = SizesOf({0.2, 0.3, 0.3, 0.2}, 0.01);
  EXPECT_EQ(ChooseSize(sizes, 7).max_items, 6u);
  const SizeChoice choice = ChooseSize(sizes, 5);
  EXPECT_EQ(choice.max_items, 5u);
  EXPECT_EQ(choice.reason, Reason::kAll);
  EXPECT_EQ(Describe(choice, sizes, "apps"), "--max-items 5: a device can hold no more\n");
}

}  // namespace
}  // namespace tombola::cli
