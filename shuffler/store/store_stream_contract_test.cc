// What every store does with streams, whichever engine it is: a submission is taken for all of its
// nodes or for none, is held for its period until that is scattered, and then for each node.
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "common/base/encoding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/store/contract_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

// One submission with given groups, each of one report unless counts say otherwise.
absl::StatusOr<std::vector<Outcome>> SubmitGroups(Store& store, const std::string& ids,
                                                  const std::vector<SubmitGroup>& groups) {
  SubmitBatch batch = {OfNode(1), 7, AsBytes(ids), {}, {}, groups};
  std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
  store.Accept(batch, [&](auto outcomes) { answer.set_value(std::move(outcomes)); });
  return answer.get_future().get();
}

SubmitGroup Group(uint64_t node, const std::string& reports,
                  absl::Span<const uint32_t> counts = {}) {
  const BatchKey of = OfNode(node);
  return {{of.part, of.key}, counts, AsBytes(reports)};
}

TEST_P(StoreContractTest, ASubmissionOfAStreamIsHeldForItsPeriod) {
  SendToPeriod(1, {1, 2, 3});
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    ASSERT_THAT(store_->Held(), SizeIs(1));
    const HeldInfo held = store_->Held().front();
    EXPECT_EQ(held.of, OfNode(1));
    EXPECT_TRUE(held.for_period);
    EXPECT_EQ(held.submissions, 3);
    EXPECT_EQ(held.reports, 9);
    EXPECT_EQ(store_->Kept().reports, 9);
    EXPECT_EQ(store_->Kept().bytes, 2 * 9 * kSealedBytes) << "with room for a second copy";
    EXPECT_EQ(store_->Counters(task_).accepted, 9) << "once for each of three nodes";
    // Neither can take what is held for the period.
    EXPECT_TRUE(absl::IsFailedPrecondition(store_->Detach(OfNode(1)).status()));
    EXPECT_TRUE(absl::IsFailedPrecondition(store_->Destroy(OfNode(1)).status()));
  }
}

TEST_P(StoreContractTest, AfterScatterEachGroupIsHeldForItsNode) {
  SendToPeriod(1, {1, 2, 3});
  Crash();
  SendToPeriod(1, {3, 4});
  const auto scattered = store_->Scatter(OfNode(1));
  ASSERT_TRUE(scattered.ok()) << scattered.status();
  EXPECT_EQ(*scattered, 4);
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    ASSERT_THAT(store_->Held(), SizeIs(3));
    for (const HeldInfo& held : store_->Held()) {
      EXPECT_EQ(held.of, OfNode(held.of.part));
      EXPECT_FALSE(held.for_period);
      EXPECT_EQ(held.submissions, 4);
      EXPECT_EQ(held.reports, 4);
      EXPECT_EQ(held.duplicates, held.of.part == 1 ? 1 : 0);
    }
    EXPECT_EQ(store_->Kept().reports, 12);
    EXPECT_EQ(store_->Kept().bytes, 12 * kSealedBytes);
    EXPECT_EQ(store_->Counters(task_).accepted, 12);
    EXPECT_EQ(store_->Counters(task_).duplicates, 1);
  }
  for (const uint64_t node : {1, 2, 4}) {
    const Manifest totals = Release(OfNode(node));
    EXPECT_EQ(totals.of, OfNode(node));
    EXPECT_EQ(totals.submissions, 4);
    EXPECT_EQ(totals.digest_sum, SumOf(OfNode(node), InNode(Range(1, 4), node)));
    EXPECT_EQ(totals.duplicates, node == 1 ? 1 : 0);
    EXPECT_THAT(*NumbersIn(*store_, totals.batch),
                UnorderedElementsAreArray(InNode(Range(1, 4), node)));
    if (node == 2) Crash();
  }
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Kept().reports, 0);
}

TEST_P(StoreContractTest, ANodeGathersItsPeriodsAndLeavesOnce) {
  for (uint64_t period = 1; period <= 4; ++period) {
    SendToPeriod(period, Range(10 * period, 10 * period + period));
    if (period == 2) Crash();
    ASSERT_TRUE(store_->Scatter(OfNode(period)).ok());
    if (period == 3) Crash();
    const Manifest totals = Release(OfNode(period));
    const int64_t sizes[] = {2, 2 + 3, 4, 2 + 3 + 4 + 5};
    EXPECT_EQ(totals.submissions, sizes[period - 1]);
    ASSERT_TRUE(Erase(totals.batch).ok());
  }
  Crash();
  EXPECT_THAT(store_->Held(), IsEmpty());
  const TaskCounters counters = store_->Counters(task_);
  EXPECT_EQ(counters.accepted, 25);
  EXPECT_EQ(counters.forwarded, 25);
  EXPECT_EQ(counters.released_batches, 4);
}

TEST_P(StoreContractTest, ASubmissionIsTakenForAllOfItsNodesOrForNone) {
  const std::string ids = IdOf(1) + IdOf(2) + IdOf(3);
  const std::string two = ReportOf(1) + ReportOf(2);
  const std::string five = ReportOf(11) + ReportOf(12) + ReportOf(13) + ReportOf(14) + ReportOf(15);
  const std::vector<uint32_t> counts_two = {1, 0, 1}, counts_five = {0, 5, 0},
                              counts_ones = {1, 1, 1};
  const std::string three = ReportOf(21) + ReportOf(22) + ReportOf(23);
  // The first lacks a report in one group, the second has too many in one, the third has one twice.
  const std::string sevenfold = five + ReportOf(16) + ReportOf(2);
  const std::vector<uint32_t> counts_seven = {1, 5, 1};
  auto outcomes =
      SubmitGroups(*store_, ids, {Group(1, two, counts_two), Group(2, three, counts_ones)});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  EXPECT_THAT(*outcomes, ElementsAre(Outcome::kAccepted, Outcome::kRejected, Outcome::kAccepted));
  outcomes = SubmitGroups(*store_, IdOf(4) + IdOf(5) + IdOf(6),
                          {Group(1, three, counts_ones), Group(2, sevenfold, counts_seven)});
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  EXPECT_THAT(*outcomes, ElementsAre(Outcome::kAccepted, Outcome::kRejected, Outcome::kAccepted));
  EXPECT_EQ(store_->Held().front().submissions, 4);
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  EXPECT_EQ(Release(OfNode(1)).submissions, 4);
  EXPECT_EQ(Release(OfNode(2)).submissions, 4);
}

TEST_P(StoreContractTest, AReportKnownInAnyNodeMakesADuplicateInAll) {
  SendToPeriod(1, {1});
  for (const bool scattered : {false, true}) {
    if (scattered) {
      ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
      Crash();
    }
    // A new id, fresh reports for two nodes, and the third's was there.
    const std::string a = ReportOf(50), b = ReportOf(51), known = ReportOf(InNode(1, 4));
    SubmitBatch batch = {OfNode(scattered ? 2 : 1), 7, {}, {}, {}};
    const std::string id = IdOf(9);
    batch.submission_ids = AsBytes(id);
    if (!scattered) batch.groups.push_back(Group(1, a));
    batch.groups.push_back(Group(2, b));
    batch.groups.push_back(Group(4, known));
    std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
    store_->Accept(batch, [&](auto outcomes) { answer.set_value(std::move(outcomes)); });
    const auto outcomes = answer.get_future().get();
    ASSERT_TRUE(outcomes.ok()) << outcomes.status();
    // An engine may find out only when it reads; this one and those that we know do at the door.
    EXPECT_THAT(*outcomes, ElementsAre(Outcome::kDuplicate));
    EXPECT_EQ(HeldSubmissions(*store_), scattered ? 3 : 1);
  }
}

TEST_P(StoreContractTest, AScatteredPeriodTakesNothingMore) {
  SendToPeriod(1, {1, 2});
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  const absl::Status late =
      SubmitToPeriod(*store_, {.numbers = {3}, .period = 1, .nodes = NodesOver(1)}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(late)) << late;
  SendToPeriod(2, {3});
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Scatter(OfNode(1)).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Scatter(OfNode(3)).status()));
  EXPECT_EQ(*store_->Scatter(OfNode(2)), 1);
}

TEST_P(StoreContractTest, ARetryAfterScatterDoesNotComeIntoTheNextPeriod) {
  SendToPeriod(1, {1, 2});
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  Crash();
  // The same id under another period, with other reports.
  const auto again =
      SubmitToPeriod(*store_, {.numbers = {1, 2}, .period = 2, .nodes = NodesOver(2)});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(*again, Each(Outcome::kDuplicate));
  EXPECT_EQ(Release(OfNode(2)).submissions, 2);
}

// What is remembered goes with the windows, however long a node is: the period is over by then.
TEST_P(StoreContractTest, DigestsOfAScatteredPeriodGoWithTheirWindow) {
  SendToPeriod(1, {1, 2}, 7);
  SendToPeriod(1, {3}, 8);
  EXPECT_EQ(store_->Digests(), 12);
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    EXPECT_EQ(store_->Digests(), 12);
  }
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 8).ok());
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    EXPECT_EQ(store_->Digests(), 4);
    const PeriodCall old = {.numbers = {1}, .period = 2, .nodes = NodesOver(2), .window = 7};
    EXPECT_TRUE(absl::IsFailedPrecondition(SubmitToPeriod(*store_, old).status()));
  }
  EXPECT_EQ(Release(OfNode(4)).submissions, 3);
  EXPECT_EQ(store_->Digests(), 4) << "nothing is remembered twice";
}

// A node lives longer than its submissions are known at the door: whoever has seen a sealed report
// could send it again and again, to find it in what the node says.
TEST_P(StoreContractTest, ANodeHasNoReportTwiceHoweverLateItComesAgain) {
  SendToPeriod(1, {1, 2}, 7);
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 9).ok());
  const std::string ids = IdOf(8) + IdOf(9);
  // For the fourth node the first brings a report that this has.
  const std::string second = ReportOf(50) + ReportOf(51);
  const std::string fourth = ReportOf(InNode(2, 4)) + ReportOf(52);
  SubmitBatch batch = {OfNode(2), 9, AsBytes(ids), {}, {}, {Group(2, second), Group(4, fourth)}};
  std::promise<absl::Status> answer;
  store_->Accept(batch, [&](auto outcomes) { answer.set_value(outcomes.status()); });
  ASSERT_TRUE(answer.get_future().get().ok());
  ASSERT_TRUE(store_->Scatter(OfNode(2)).ok());
  {
    auto from = store_->Detach(OfNode(4));
    ASSERT_TRUE(from.ok()) << from.status();
    std::vector<uint8_t> memory(static_cast<size_t>((*from)->most_reports() * kSealedBytes));
    const auto read = (*from)->Read({.memory = absl::MakeSpan(memory), .take = {}});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->reports, 3);
  }
  const Manifest totals = Release(OfNode(4));
  EXPECT_EQ(totals.submissions, 3);
  EXPECT_EQ(totals.duplicates, 1);
  EXPECT_EQ(totals.digest_sum, SumOf(OfNode(4), {InNode(1, 4), InNode(2, 4), 52}));
  EXPECT_THAT(InOutbox(), UnorderedElementsAreArray({InNode(1, 4), InNode(2, 4), uint64_t{52}}));
  EXPECT_EQ(Release(OfNode(2)).submissions, 4);
}

TEST_P(StoreContractTest, ANodeThatFallsShortIsDestroyedByItself) {
  SendToPeriod(1, {1, 2, 3});
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  EXPECT_EQ(*store_->Destroy(OfNode(1)), 3);
  SendToPeriod(2, {4});
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    EXPECT_EQ(store_->Counters(task_).expired, 3);
    EXPECT_EQ(store_->Counters(task_).accepted, 11);
  }
  ASSERT_TRUE(store_->Scatter(OfNode(2)).ok());
  EXPECT_EQ(Release(OfNode(2)).submissions, 4);
  EXPECT_EQ(Release(OfNode(4)).submissions, 4);
}

TEST_P(StoreContractTest, RefusesGroupsThatDoNotAgree) {
  const std::string id = IdOf(1), one = ReportOf(1), other = ReportOf(2);
  const auto refused = [&](const std::vector<SubmitGroup>& groups) {
    return absl::IsInvalidArgument(SubmitGroups(*store_, id, groups).status());
  };
  EXPECT_TRUE(refused({Group(2, one), Group(4, other)})) << "not the period's own first";
  EXPECT_TRUE(refused({Group(1, one), Group(4, other), Group(2, one)}));
  EXPECT_TRUE(refused({Group(1, one), Group(1, other)}));
  EXPECT_TRUE(refused({Group(1, one), Group(4, one + other)}));
  EXPECT_TRUE(refused({Group(1, one), Group(4, other.substr(1))}));
  const std::vector<uint32_t> counts = {1, 1};
  EXPECT_TRUE(refused({Group(1, one), Group(4, other, counts)}));
  SubmitBatch both = {OfNode(1), 7, AsBytes(id), {}, AsBytes(one), {Group(1, other)}};
  std::promise<absl::Status> answer;
  store_->Accept(both, [&](auto outcomes) { answer.set_value(outcomes.status()); });
  EXPECT_TRUE(absl::IsInvalidArgument(answer.get_future().get()));
  EXPECT_THAT(store_->Held(), IsEmpty());
}

// A longer node's key may be replaced while a period is open.
TEST_P(StoreContractTest, ANodeOfTwoKeysIsHeldUnderEach) {
  const std::string id1 = IdOf(1), id2 = IdOf(2);
  const std::string reports[] = {ReportOf(1), ReportOf(2), ReportOf(3), ReportOf(4)};
  ASSERT_TRUE(SubmitGroups(*store_, id1, {Group(1, reports[0]), Group(4, reports[1])}).ok());
  SubmitGroup other = Group(4, reports[3]);
  other.of.key = KeyNumber(9);
  ASSERT_TRUE(SubmitGroups(*store_, id2, {Group(1, reports[2]), other}).ok());
  Crash();
  EXPECT_EQ(*store_->Scatter(OfNode(1)), 2);
  Crash();
  EXPECT_EQ(Release(OfNode(1)).submissions, 2);
  EXPECT_EQ(Release(OfNode(4)).submissions, 1);
  EXPECT_EQ(Release({task_, KeyNumber(9), 4}).submissions, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace tombola::shuffler
