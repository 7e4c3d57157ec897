#include "common/totals/lasting_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/disk/whole_file.h"
#include "common/random/secure_random.h"
#include "tests/support/scratch_directory.h"

namespace tombola::stream {
namespace {

using ::testing::HasSubstr;

TotalsOptions Asked(Method method, int64_t periods, bool unbounded = false) {
  return {.question = {.epsilon = 1,
                       .delta = IsGaussian(method) ? 1e-6 : 0,
                       .periods = periods,
                       .sensitivity = 1,
                       .method = method},
          .unbounded = unbounded,
          .largest = 1000};
}

int64_t IncrementAt(int64_t t) { return t * 37 % 11; }

class LastingTotalsTest : public ::testing::Test {
 protected:
  using Made = absl::StatusOr<std::unique_ptr<LastingTotals>>;

  Made Begin(const TotalsOptions& options) {
    return LastingTotals::Begin(path_, key_, options, random_);
  }
  Made GoOn() {
    told_.clear();
    return LastingTotals::GoOn(path_, key_, random_, [&](int64_t period, const NoisyTotal& total) {
      EXPECT_EQ(period, static_cast<int64_t>(told_.size()) + 1);
      told_.push_back(total);
    });
  }
  LastingTotals::Found Look() { return *LastingTotals::LookIn(path_); }

  SecureRandom random_;
  const ScratchDirectory directory_{ScratchDirectory::Place::kMemory};
  const crypto::SealingKey key_ = crypto::SealingKey::Draw(random_);
  std::string path_ = directory_.In("stream");
  std::vector<NoisyTotal> told_;
};

// After each total the object goes, as if the program were killed. No total changes, and noise is
// not drawn again: every way through a stream has the totals of any other.
TEST_F(LastingTotalsTest, NoTotalChangesWhenItStopsAfterAnyPeriod) {
  for (const bool unbounded : {false, true}) {
    for (const Method method : kMethods) {
      path_ = directory_.In(absl::StrCat(NameOf(method), unbounded));
      std::vector<NoisyTotal> released;
      { ASSERT_TRUE(Begin(Asked(method, 24, unbounded)).ok()); }
      for (int64_t t = 1; t <= 24; ++t) {
        auto totals = GoOn();
        ASSERT_TRUE(totals.ok()) << totals.status();
        ASSERT_EQ(told_, released) << NameOf(method) << " " << t;
        const std::vector<int64_t> increment = {IncrementAt(t)};
        ASSERT_TRUE((*totals)->Take(increment, released).ok());
        ASSERT_EQ(static_cast<int64_t>(released.size()), t);
      }
      const auto totals = *GoOn();
      EXPECT_EQ(told_, released);
      EXPECT_EQ(totals->totals().finished(), !unbounded);
    }
  }
}

// The same noise whether increments come together or one by one.
TEST_F(LastingTotalsTest, GroupsDoNotMatter) {
  const auto totals = *Begin(Asked(Method::kKAry, 2000));
  std::vector<int64_t> increments;
  for (int64_t t = 1; t <= 2000; ++t) increments.push_back(IncrementAt(t));
  std::vector<NoisyTotal> released;
  ASSERT_TRUE(totals->Take(absl::MakeSpan(increments).first(700), released).ok());
  ASSERT_TRUE(totals->Take(absl::MakeSpan(increments).subspan(700), released).ok());
  KeyedRandom seed(SealedSeed::Read(path_ + "/stream", key_)->seed.ExposeSecret());
  const auto whole = *RunningTotals::Create(Asked(Method::kKAry, 2000), &seed);
  for (int64_t t = 1; t <= 2000; ++t) {
    ASSERT_EQ(released[static_cast<size_t>(t - 1)], *whole->Next(IncrementAt(t))) << t;
  }
}

TEST_F(LastingTotalsTest, MoreThanALogHoldsTogether) {
  const auto count = static_cast<int64_t>(IncrementLog::kMostTogether) + 10;
  std::vector<NoisyTotal> released;
  {
    const auto totals = *Begin(Asked(Method::kFenwick, count));
    ASSERT_TRUE(totals->Take(std::vector<int64_t>(static_cast<size_t>(count), 1), released).ok());
  }
  EXPECT_EQ(static_cast<int64_t>(released.size()), count);
  ASSERT_TRUE(GoOn().ok());
  EXPECT_EQ(told_, released);
}

// Those before a wrong one count.
TEST_F(LastingTotalsTest, AWrongIncrementHarmsNothing) {
  const auto totals = *Begin(Asked(Method::kPlain, 4));
  std::vector<NoisyTotal> released;
  const absl::Status refused = totals->Take(std::vector<int64_t>{1, 2, 1001, 3}, released);
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(refused.message(), HasSubstr("[0, 1000]"));
  EXPECT_EQ(released.size(), 2);
  EXPECT_TRUE(absl::IsInvalidArgument(totals->Take(std::vector<int64_t>{-1}, released)));
  EXPECT_TRUE(absl::IsOutOfRange(totals->Take(std::vector<int64_t>{3, 4, 5}, released)));
  EXPECT_EQ(released.size(), 4);
  EXPECT_TRUE(totals->totals().finished());
}

TEST_F(LastingTotalsTest, SaysWhatWasAskedFor) {
  { ASSERT_TRUE(Begin(Asked(Method::kFenwick, 77)).ok()); }
  EXPECT_EQ(LastingTotals::OptionsOf(path_, key_)->question.periods, 77);
  EXPECT_FALSE(LastingTotals::OptionsOf(path_, crypto::SealingKey::Draw(random_)).ok());
  EXPECT_TRUE(absl::IsNotFound(LastingTotals::OptionsOf(directory_.In("none"), key_).status()));
}

TEST_F(LastingTotalsTest, WhatIsRefusedLeavesNoDirectory) {
  EXPECT_TRUE(absl::IsInvalidArgument(Begin(Asked(Method::kBest, 5000)).status()));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(Look(), LastingTotals::Found::kNothing);
}

TEST_F(LastingTotalsTest, OneProcessAtATimeAndOneStreamADirectory) {
  auto totals = *Begin(Asked(Method::kPlain, 4));
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kFailedPrecondition);
  totals.reset();
  EXPECT_EQ(Begin(Asked(Method::kPlain, 4)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(GoOn().ok());
}

TEST_F(LastingTotalsTest, TheEndErasesSeedAndIncrements) {
  {
    const auto totals = *Begin(Asked(Method::kPlain, 4));
    std::vector<NoisyTotal> released;
    ASSERT_TRUE(totals->Take(std::vector<int64_t>{1, 2, 3}, released).ok());
    EXPECT_EQ(Look(), LastingTotals::Found::kStream);
    ASSERT_TRUE(totals->End().ok());
    EXPECT_FALSE(totals->Take(std::vector<int64_t>{1}, released).ok());
  }
  EXPECT_EQ(Look(), LastingTotals::Found::kEnded);
  EXPECT_EQ(*LastingTotals::EndedAfter(path_), 3);
  EXPECT_TRUE(absl::IsNotFound(GoOn().status()));
  EXPECT_EQ(Begin(Asked(Method::kPlain, 4)).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/stream"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/increments"));
}

TEST_F(LastingTotalsTest, AnEndThatWasCutShortIsFinished) {
  { ASSERT_TRUE(Begin(Asked(Method::kPlain, 4)).ok()); }
  ASSERT_TRUE(ReplaceFile(path_ + "/ended", "periods 0\n").ok());
  EXPECT_EQ(Look(), LastingTotals::Found::kEnded);
  EXPECT_TRUE(absl::IsNotFound(GoOn().status()));
  ASSERT_TRUE(LastingTotals::FinishErasing(path_).ok());
  EXPECT_FALSE(std::filesystem::exists(path_ + "/stream"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/increments"));
}

TEST_F(LastingTotalsTest, ABeginningThatWasCutShortBeginsAgain) {
  ASSERT_TRUE(std::filesystem::create_directory(path_));
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  ASSERT_TRUE(ReplaceFile(path_ + "/increments", "").ok());
  EXPECT_EQ(Look(), LastingTotals::Found::kNothing);
  EXPECT_TRUE(Begin(Asked(Method::kPlain, 4)).ok());
}

TEST_F(LastingTotalsTest, RefusesWhatIsNotItsOwn) {
  std::vector<NoisyTotal> released;
  { ASSERT_TRUE((*Begin(Asked(Method::kPlain, 9)))->Take(std::vector<int64_t>{5}, released).ok()); }
  const auto other = LastingTotals::GoOn(path_, crypto::SealingKey::Draw(random_), random_,
                                         [](int64_t, const NoisyTotal&) { FAIL(); });
  EXPECT_EQ(other.status().code(), absl::StatusCode::kDataLoss);
  // The increments of another stream.
  const std::string first = path_;
  path_ = directory_.In("another");
  { ASSERT_TRUE((*Begin(Asked(Method::kPlain, 9)))->Take(std::vector<int64_t>{5}, released).ok()); }
  std::filesystem::copy_file(first + "/increments", path_ + "/increments",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(told_.empty());
  std::filesystem::remove(path_ + "/increments");
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kDataLoss);
}

// What another program would have drawn: nothing of it is told.
TEST_F(LastingTotalsTest, RefusesOtherNoise) {
  { ASSERT_TRUE(Begin(Asked(Method::kPlain, 9)).ok()); }
  const SealedSeed seed = *SealedSeed::Read(path_ + "/stream", key_);
  const auto append = [&](IncrementGroup group) {
    ASSERT_TRUE(IncrementLog::Make(path_ + "/increments").ok());
    IncrementLog log = *IncrementLog::Open(path_ + "/increments", seed.increments,
                                           [](const IncrementGroup&) { return absl::OkStatus(); });
    ASSERT_TRUE(log.Append(group, seed.increments, random_).ok());
  };
  KeyedRandom noise(seed.seed.ExposeSecret());
  const int64_t right = (*RunningTotals::Create(seed.options, &noise))->Next(5)->total;
  append({.total = right + 1, .increments = {5}});
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kFailedPrecondition);
  append({.fingerprint = 1, .total = right, .increments = {5}});
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kFailedPrecondition);
  append({.before = 1, .total = right, .increments = {5}});
  EXPECT_EQ(GoOn().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace tombola::stream
