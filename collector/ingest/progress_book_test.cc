#include "collector/ingest/progress_book.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/crypto/ed25519_sign.h"
#include "common/task/progress.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

class ProgressBookTest : public ::testing::Test {
 protected:
  ProgressBookTest() : clock_(TestTaskStart()), task_(MakeTestTask()) {
    catalog_ = *Catalog::Open(":memory:");
    EXPECT_TRUE(catalog_->Add(task_).ok());
    book_ = std::make_unique<ProgressBook>(catalog_.get(), &clock_);
  }

  Progress Held(uint32_t percent) const {
    return {.task = task_->id(), .held_percent = percent, .expired = 3, .time = clock_.Now()};
  }
  absl::Status Take(const Progress& progress,
                    const crypto::SigningKey& key = TestShufflerKey()) const {
    const std::string bytes = progress.Serialise();
    return book_->Take(bytes, key.Sign(absl::StrCat(kProgressContext, bytes)));
  }
  uint32_t held_percent() const { return catalog_->Find(task_->id())->held_percent; }

  FakeClock clock_;
  const std::shared_ptr<const Task> task_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<ProgressBook> book_;
};

TEST_F(ProgressBookTest, TakesWhatTheTasksShufflerHasSigned) {
  EXPECT_TRUE(Take(Held(35)).ok());
  EXPECT_EQ(held_percent(), 35u);
  EXPECT_EQ(catalog_->Find(task_->id())->expired, 3);
}

TEST_F(ProgressBookTest, RefusesWhatAnybodyElseHasSigned) {
  EXPECT_TRUE(absl::IsUnauthenticated(Take(Held(35), TestCollectorKey())));
  const std::string bytes = Held(35).Serialise();
  // A signature by the right key, for something else.
  EXPECT_TRUE(absl::IsUnauthenticated(book_->Take(bytes, TestShufflerKey().Sign(bytes))));
  EXPECT_TRUE(absl::IsUnauthenticated(book_->Take(bytes, "")));
  EXPECT_EQ(held_percent(), 0u);
}

TEST_F(ProgressBookTest, TakesEachOnceAndNoneOutOfOrder) {
  const Progress first = Held(35);
  clock_.Advance(absl::Minutes(1));
  const Progress second = Held(40);
  EXPECT_TRUE(Take(second).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(second)));
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(first)));
  EXPECT_EQ(held_percent(), 40u);
}

TEST_F(ProgressBookTest, AnOldOneDoesNotComeBackAfterARestart) {
  const Progress first = Held(35);
  EXPECT_TRUE(Take(first).ok());
  clock_.Advance(absl::Minutes(11));
  book_ = std::make_unique<ProgressBook>(catalog_.get(), &clock_);
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(first)));
  Progress ahead = Held(40);
  ahead.time += absl::Minutes(11);
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(ahead))) << "it would keep all others out";
}

TEST_F(ProgressBookTest, TakesNoneWhileTheClockIsInDoubt) {
  clock_.Advance(absl::Hours(1));
  clock_.SetDoubt(true);
  EXPECT_TRUE(absl::IsUnavailable(Take(Held(35))));
  clock_.Advance(-absl::Hours(1));
  clock_.SetDoubt(false);
  EXPECT_TRUE(Take(Held(40)).ok()) << "what the jumped clock said would keep it out";
  EXPECT_EQ(held_percent(), 40u);
}

TEST_F(ProgressBookTest, AClockThatIsPutRightKeepsNothingOut) {
  clock_.Advance(absl::Hours(1));  // believed: it has stood firm
  EXPECT_TRUE(Take(Held(35)).ok());
  clock_.Advance(-absl::Hours(1));
  const Progress right = Held(40);
  EXPECT_TRUE(Take(right).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Take(right))) << "once";
  EXPECT_EQ(held_percent(), 40u);
}

TEST_F(ProgressBookTest, RefusesAnUnknownTaskAndWhatIsNoProgress) {
  Progress other = Held(35);
  other.task.fill(1);
  EXPECT_TRUE(absl::IsNotFound(Take(other)));
  EXPECT_TRUE(absl::IsInvalidArgument(book_->Take("x", "")));
}

}  // namespace
}  // namespace tombola::collector
