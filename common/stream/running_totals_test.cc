#include "common/stream/running_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/support/seeded_random.h"

namespace tombola::stream {
namespace {

using ::testing::HasSubstr;

TotalsOptions Asked(int64_t periods, bool unbounded = false) {
  return {.question = {.epsilon = 1, .periods = periods, .sensitivity = 1},
          .unbounded = unbounded,
          .largest = 1000};
}

TEST(RunningTotalsTest, EndAfterTheLastPeriod) {
  SeededRandom seed(1);
  const auto totals = *RunningTotals::Create(Asked(3), &seed);
  for (int t = 1; t <= 3; ++t) {
    EXPECT_FALSE(totals->finished());
    EXPECT_TRUE(totals->Next(1).ok());
  }
  EXPECT_TRUE(totals->finished());
  EXPECT_EQ(totals->Next(1).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(totals->periods(), 3);
}

TEST(RunningTotalsTest, RefuseIncrementsOutOfBoundsAndGoOn) {
  SeededRandom seed(1), same(1);
  const auto totals = *RunningTotals::Create(Asked(3), &seed);
  const auto others = *RunningTotals::Create(Asked(3), &same);
  EXPECT_EQ(*totals->Next(7), *others->Next(7));
  EXPECT_THAT(totals->Next(-1).status().message(), HasSubstr("must be in [0, 1000]"));
  EXPECT_THAT(totals->Next(1001).status().message(), HasSubstr("must be in [0, 1000]"));
  EXPECT_EQ(*totals->Next(1000), *others->Next(1000));
}

TEST(RunningTotalsTest, RefuseABoundBelowTheSensitivity) {
  SeededRandom seed(1);
  TotalsOptions options = Asked(3);
  options.question.sensitivity = 2000;
  EXPECT_THAT(RunningTotals::Create(options, &seed).status().message(), HasSubstr("largest"));
  options.largest = kLargestIncrement + 1;
  EXPECT_THAT(RunningTotals::Create(options, &seed).status().message(), HasSubstr("largest"));
}

TEST(RunningTotalsTest, UnboundedGoOnFromBlockToBlock) {
  SeededRandom seed(1);
  TotalsOptions options = Asked(0, true);
  options.question.method = Method::kBest;
  const auto totals = *RunningTotals::Create(options, &seed);
  int64_t exact = 0;
  double before = 0;
  for (int64_t t = 1; t <= 20'000; ++t) {
    exact += t % 7;
    const NoisyTotal total = *totals->Next(t % 7);
    // Twelve deviations of Laplace noise, or more: e^-16 each.
    EXPECT_LE(std::abs(static_cast<double>(total.total - exact)), 12 * std::sqrt(total.variance));
    if ((t & (t - 1)) == 0 && t <= 8192) {
      EXPECT_EQ(totals->design().periods, std::min<int64_t>(t, 4096)) << t;
      EXPECT_GT(total.variance, before);
    }
    if (((t + 1) & t) == 0) before = total.variance;
  }
  EXPECT_FALSE(totals->finished());
}

TEST(RunningTotalsTest, PredictUnboundedVariances) {
  SeededRandom seed(1);
  const TotalsOptions options = Asked(0, true);
  const auto totals = *RunningTotals::Create(options, &seed);
  double sum = 0, max = 0;
  for (int t = 1; t <= 255; ++t) {
    const double variance = totals->Next(0)->variance;
    sum += variance;
    max = std::max(max, variance);
  }
  const UnboundedVariance predicted = *PredictUnbounded(options, 8);
  EXPECT_EQ(predicted.periods, 255);
  EXPECT_NEAR(predicted.mean * 255 / sum, 1, 1e-9);
  EXPECT_NEAR(predicted.max / max, 1, 1e-9);
}

// The noise of all ends of blocks is in later totals, and does not swamp them.
TEST(RunningTotalsTest, UnboundedAreLessThanTwiceAsNoisyAsATreeThatKnewTheEnd) {
  TotalsOptions options = Asked(0, true);
  options.question.adaptive = true;
  for (const int blocks : {10, 13, 16}) {
    const UnboundedVariance predicted = *PredictUnbounded(options, blocks);
    const auto tree = *MakeDesign(
        {.epsilon = 1, .periods = predicted.periods, .sensitivity = 1, .method = Method::kFenwick});
    EXPECT_LT(predicted.mean, 2 * tree->mean_variance) << blocks;
    EXPECT_LT(predicted.max, 2 * tree->max_variance) << blocks;
  }
}

TEST(RunningTotalsTest, GoOnAfterAnyPeriod) {
  for (const bool unbounded : {false, true}) {
    for (const Method method : kMethods) {
      TotalsOptions options = Asked(70, unbounded);
      options.question.method = method;
      if (IsGaussian(method)) options.question.delta = 1e-6;
      SeededRandom seed(3);
      const auto whole = *RunningTotals::Create(options, &seed);
      std::vector<NoisyTotal> expected;
      std::vector<std::string> saved = {whole->Save()};
      for (int64_t t = 1; t <= 70; ++t) {
        expected.push_back(*whole->Next(t % 5));
        saved.push_back(whole->Save());
      }
      for (int64_t stop = 0; stop <= 70; stop += IsGaussian(method) ? 10 : 1) {
        SeededRandom again(3);
        const auto totals = *RunningTotals::Create(options, &again);
        ASSERT_TRUE(totals->Load(AsBytes(saved[static_cast<size_t>(stop)])).ok())
            << NameOf(method) << " " << stop;
        EXPECT_EQ(totals->periods(), stop);
        for (int64_t t = stop + 1; t <= std::min<int64_t>(70, stop + 10); ++t) {
          EXPECT_EQ(*totals->Next(t % 5), expected[static_cast<size_t>(t - 1)]);
        }
      }
    }
  }
}

TEST(RunningTotalsTest, RefuseWhatWasSavedOtherwise) {
  SeededRandom seed(3);
  const auto totals = *RunningTotals::Create(Asked(0, true), &seed);
  for (int t = 0; t < 40; ++t) ASSERT_TRUE(totals->Next(1).ok());
  const std::string saved = totals->Save();
  const auto load = [](const std::string& bytes, uint64_t with, const TotalsOptions& options) {
    SeededRandom again(with);
    const auto other = *RunningTotals::Create(options, &again);
    return other->Load(AsBytes(bytes));
  };
  EXPECT_TRUE(load(saved, 3, Asked(0, true)).ok());
  EXPECT_FALSE(load(saved, 4, Asked(0, true)).ok());
  EXPECT_FALSE(load(saved, 3, Asked(1000)).ok());
  EXPECT_FALSE(load(saved + "x", 3, Asked(0, true)).ok());
  EXPECT_FALSE(load(saved.substr(1), 3, Asked(0, true)).ok());
  for (size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(load(saved.substr(0, size), 3, Asked(0, true)).ok()) << size;
  }
}

}  // namespace
}  // namespace tombola::stream
