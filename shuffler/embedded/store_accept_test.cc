// What becomes of a call: accepted, recognised, rejected, refused.
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "common/base/encoding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;

constexpr Outcome kAccepted = Outcome::kAccepted;
constexpr Outcome kDuplicate = Outcome::kDuplicate;
constexpr Outcome kRejected = Outcome::kRejected;

TEST_F(StoreTest, DuplicatesAreKnownInTheCallTheCommitAndAfterwards) {
  Reopen();
  EXPECT_THAT(Submit({.numbers = {1, 2, 1}}), ElementsAre(kAccepted, kAccepted, kDuplicate));
  EXPECT_THAT(Submit({.numbers = {2, 3}}), ElementsAre(kDuplicate, kAccepted));
  EXPECT_EQ(store_->Held().front().duplicates, 2);
}

TEST_F(StoreTest, TellsOfACommitOnceItIsCounted) {
  Reopen();
  std::promise<int64_t> held;
  bool told = false;  // by the committer's thread alone
  store_->AfterEachCommit([&](absl::Duration) {
    if (!std::exchange(told, true)) held.set_value(store_->Held().front().submissions);
  });
  Submit({.numbers = {1, 2}});
  EXPECT_EQ(held.get_future().get(), 2);
  Reopen();  // ends the thread that may still tell
}

TEST_F(StoreTest, DuplicatesAreKnownUnderEveryKeyAndWindow) {
  Reopen();
  Submit({.numbers = {1}, .window = 7});
  EXPECT_THAT(Submit({.numbers = {1}, .window = 8}), ElementsAre(kDuplicate));
  EXPECT_THAT(Submit({.numbers = {1}, .key = KeyNumber(2)}), ElementsAre(kDuplicate));
}

TEST_F(StoreTest, DuplicatesAreKnownAfterRestartReleaseAndErase) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Reopen();
  EXPECT_EQ(Accepted({.numbers = {1, 2}}), 0);
  const Manifest totals = Release();
  EXPECT_EQ(Accepted({.numbers = {1, 2}}), 0);
  Reopen();
  EXPECT_EQ(Accepted({.numbers = {1, 2}}), 0);
  ASSERT_TRUE(Erase(totals.batch).ok());
  Reopen();
  EXPECT_EQ(Accepted({.numbers = {1, 2}}), 0);
}

// The answer to one call with given ids and reports.
std::vector<Outcome> SubmitRaw(Store& store, const std::string& ids,
                               const std::vector<uint32_t>& counts, const std::string& reports) {
  std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
  store.Accept({{TaskNumber(1), KeyNumber(1)}, 7, AsBytes(ids), counts, AsBytes(reports)},
               [&](auto outcomes) { answer.set_value(std::move(outcomes)); });
  const auto outcomes = answer.get_future().get();
  EXPECT_TRUE(outcomes.ok()) << outcomes.status();
  return outcomes.value_or(std::vector<Outcome>());
}

TEST_F(StoreTest, AnOldReportUnderANewIdIsADuplicateAndLeavesNoTrace) {
  Reopen();
  Submit({.numbers = {1}});
  EXPECT_THAT(SubmitRaw(*store_, IdOf(2), {2}, ReportOf(2) + ReportOf(1)), ElementsAre(kDuplicate));
  // Neither the id nor the fresh report was remembered.
  EXPECT_THAT(Submit({.numbers = {2}}), ElementsAre(kAccepted));
}

TEST_F(StoreTest, AnOldIdWithANewReportIsADuplicate) {
  Reopen();
  Submit({.numbers = {1}});
  EXPECT_THAT(SubmitRaw(*store_, IdOf(1), {}, ReportOf(2)), ElementsAre(kDuplicate));
}

TEST_F(StoreTest, RejectsSubmissionsWithoutReportsWithTooManyAndWithOneTwice) {
  Reopen();
  const std::string five = ReportOf(1) + ReportOf(2) + ReportOf(3) + ReportOf(4) + ReportOf(5);
  EXPECT_THAT(SubmitRaw(*store_, IdOf(1) + IdOf(2) + IdOf(3) + IdOf(4), {5, 0, 1, 2},
                        five + ReportOf(6) + ReportOf(7) + ReportOf(7)),
              ElementsAre(kRejected, kRejected, kAccepted, kRejected));
  EXPECT_EQ(store_->Held().front().submissions, 1);
  EXPECT_EQ(Release().reports_out, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(6));
  // What was rejected is not known: the same ids may come with proper reports.
  EXPECT_EQ(Accepted({.numbers = {1, 2, 4}}), 3);
}

TEST_F(StoreTest, RefusesACallBeyondTheQueueAndTakesTheNext) {
  options_.queue_limit_bytes = 4000;
  Reopen();
  EXPECT_TRUE(
      absl::IsResourceExhausted(shuffler::Submit(*store_, {.numbers = Range(1, 50)}).status()));
  EXPECT_EQ(Accepted({.numbers = Range(1, 5)}), 5);
  EXPECT_EQ(Accepted({.numbers = Range(6, 10)}), 5);  // the memory of the first is free again
}

}  // namespace
}  // namespace tombola::shuffler
