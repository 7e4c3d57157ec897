#include "client/ledger/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

TaskId TaskOf(uint8_t fill) {
  TaskId task;
  task.fill(fill);
  return task;
}

KeyListVersion VersionOf(uint64_t serial) {
  KeyListVersion list{.serial = serial, .keys = {}};
  list.keys.fill(static_cast<uint8_t>(0xb0 + serial));
  return list;
}

Pending SomePending() {
  Pending pending;
  pending.id.fill(0x11);
  pending.window = 1234567890123;
  SealedGroup& group = pending.groups.emplace_back();
  group.key.fill(0x22);
  group.reports = 3;
  group.sealed_reports = std::string("sealed\0reports", 14);
  pending.token.emplace().fill(0x33);
  return pending;
}

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Ledger> Open(uint8_t task = 1) {
    auto ledger = Ledger::Open(directory_, TaskOf(task));
    EXPECT_TRUE(ledger.ok()) << ledger.status();
    return *std::move(ledger);
  }
  std::string PathOf(uint8_t task) const {
    return absl::StrCat(directory_, "/", ToHex(TaskOf(task)), ".ledger");
  }
  // Until it is brought back nothing can be written.
  void TakeDirectoryAway() { std::filesystem::rename(directory_, directory_ + ".away"); }
  void BringDirectoryBack() { std::filesystem::rename(directory_ + ".away", directory_); }

  const ScratchDirectory root_;
  std::string directory_ = root_.In("device");
};

TEST_F(LedgerTest, StartsWithNothingSpentInADirectoryThatItMakes) {
  directory_ = root_.In("a/b/c");
  const auto ledger = Open();
  EXPECT_EQ(ledger->submissions(), 0);
  EXPECT_EQ(ledger->key_list().serial, 0u);
  EXPECT_FALSE(ledger->pending().has_value());
}

TEST_F(LedgerTest, RemembersEachPeriodWhateverBecameOfItsSubmission) {
  EXPECT_FALSE(Open()->BegunIn(7));
  Pending pending = SomePending();
  pending.part = 7;
  {
    const auto ledger = Open();
    ASSERT_TRUE(ledger->Begin(pending).ok());
    EXPECT_TRUE(ledger->BegunIn(7));
  }
  const auto ledger = Open();
  EXPECT_TRUE(ledger->BegunIn(7));
  EXPECT_EQ(ledger->pending()->part, 7u);
  ASSERT_TRUE(ledger->End(Ending::kRefused).ok());
  EXPECT_TRUE(ledger->BegunIn(7));
  EXPECT_FALSE(ledger->BegunIn(3)) << "a clock that was ahead takes no other period away";
  pending.part = 3;
  ASSERT_TRUE(ledger->Begin(pending).ok());
  EXPECT_TRUE(ledger->BegunIn(3));
  EXPECT_TRUE(ledger->BegunIn(7));
  EXPECT_FALSE(ledger->BegunIn(4));
}

TEST_F(LedgerTest, KeepsMemosAndWhichWasTheLast) {
  Memos memos;
  memos.drawn = {{.cell = 7, .memo = "seven"}, {.cell = 0, .memo = std::string("n\0t", 3)}};
  memos.last = 1;
  {
    const auto ledger = Open();
    EXPECT_TRUE(ledger->memos().drawn.empty());
    ASSERT_TRUE(ledger->Begin(SomePending()).ok()) << "one each";
    ASSERT_TRUE(ledger->End(Ending::kDelivered).ok());
    ASSERT_TRUE(ledger->Begin(SomePending(), memos).ok());
    ASSERT_TRUE(ledger->End(Ending::kRefused).ok());
  }
  const auto ledger = Open();
  ASSERT_EQ(ledger->memos().drawn.size(), 2u);
  EXPECT_EQ(ledger->memos().drawn[1].memo, memos.drawn[1].memo);
  EXPECT_EQ(ledger->memos().last, 1u);
  EXPECT_EQ(ledger->memos().Find(7), 0u);
  EXPECT_FALSE(ledger->memos().Find(3).has_value());
  // A submission that brings none changes nothing of them.
  ASSERT_TRUE(ledger->Begin(SomePending()).ok());
  EXPECT_EQ(ledger->memos().drawn.size(), 2u);
}

TEST_F(LedgerTest, RefusesMoreMemosThanSubmissions) {
  Memos memos;
  memos.drawn = {{.cell = 7, .memo = "seven"}, {.cell = 8, .memo = "eight"}};
  ASSERT_TRUE(Open()->Begin(SomePending(), memos).ok());
  const auto status = Ledger::Open(directory_, TaskOf(1)).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("memos"));
}

TEST_F(LedgerTest, ABegunSubmissionIsSpentAndKeptAsItIs) {
  ASSERT_TRUE(Open()->Begin(SomePending()).ok());
  const auto ledger = Open();
  EXPECT_EQ(ledger->submissions(), 1);
  ASSERT_TRUE(ledger->pending().has_value());
  EXPECT_EQ(ledger->pending()->id, SomePending().id);
  EXPECT_EQ(ledger->pending()->window, SomePending().window);
  ASSERT_EQ(ledger->pending()->groups.size(), 1u);
  const SealedGroup &kept = ledger->pending()->groups[0], begun = SomePending().groups[0];
  EXPECT_EQ(kept.key, begun.key);
  EXPECT_EQ(kept.part, begun.part);
  EXPECT_EQ(kept.reports, begun.reports);
  EXPECT_EQ(kept.sealed_reports, begun.sealed_reports);
  EXPECT_EQ(ledger->pending()->token, SomePending().token);
}

TEST_F(LedgerTest, SurvivesAProcessThatDiesRightAfterBegin) {
  EXPECT_EXIT(
      {
        const auto ledger = Ledger::Open(directory_, TaskOf(1));
        if (ledger.ok() && (*ledger)->Begin(SomePending()).ok()) std::_Exit(7);
        std::_Exit(1);
      },
      ::testing::ExitedWithCode(7), "");
  const auto ledger = Open();
  EXPECT_EQ(ledger->submissions(), 1);
  EXPECT_TRUE(ledger->pending().has_value());
}

TEST_F(LedgerTest, AnEndedSubmissionStaysSpent) {
  {
    const auto ledger = Open();
    ASSERT_TRUE(ledger->Begin(SomePending()).ok());
    ASSERT_TRUE(ledger->End(Ending::kDelivered).ok());
    EXPECT_FALSE(ledger->pending().has_value());
    ASSERT_TRUE(ledger->Begin(SomePending()).ok());
    ASSERT_TRUE(ledger->End(Ending::kDelivered).ok());
  }
  const auto ledger = Open();
  EXPECT_EQ(ledger->submissions(), 2);
  EXPECT_FALSE(ledger->pending().has_value());
}

TEST_F(LedgerTest, RemembersTheNewestKeyListAndNeverAnOlder) {
  ASSERT_TRUE(Open()->NoteKeyList(VersionOf(5)).ok());
  EXPECT_EQ(Open()->key_list().serial, 5u);
  ASSERT_TRUE(Open()->NoteKeyList(VersionOf(4)).ok());
  EXPECT_EQ(Open()->key_list().serial, 5u);
  ASSERT_TRUE(Open()->Begin(SomePending()).ok());
  ASSERT_TRUE(Open()->NoteKeyList(VersionOf(6)).ok());
  const auto ledger = Open();
  EXPECT_EQ(ledger->key_list().serial, 6u);
  EXPECT_EQ(ledger->key_list().keys, VersionOf(6).keys);
  EXPECT_EQ(ledger->submissions(), 1);
  EXPECT_TRUE(ledger->pending().has_value());
}

TEST_F(LedgerTest, TasksHaveLedgersOfTheirOwn) {
  const auto first = Open(1);
  const auto second = Open(2);
  ASSERT_TRUE(first->Begin(SomePending()).ok());
  EXPECT_EQ(second->submissions(), 0);
}

TEST_F(LedgerTest, WithoutADirectoryItRemembersOnlyWhileItLives) {
  auto ledger = *Ledger::Open("", TaskOf(1));
  ASSERT_TRUE(ledger->Begin(SomePending()).ok());
  EXPECT_EQ(ledger->submissions(), 1);
  EXPECT_TRUE(ledger->pending().has_value());
  EXPECT_EQ((*Ledger::Open("", TaskOf(1)))->submissions(), 0);
}

TEST_F(LedgerTest, IsOneOwnersAtATime) {
  {
    const auto ledger = Open();
    const auto second = Ledger::Open(directory_, TaskOf(1));
    EXPECT_TRUE(absl::IsFailedPrecondition(second.status())) << second.status();
    EXPECT_THAT(std::string(second.status().message()), HasSubstr("in use by another process"));
  }
  EXPECT_TRUE(Ledger::Open(directory_, TaskOf(1)).ok());
}

TEST_F(LedgerTest, IsReadableByItsOwnerOnly) {
  ASSERT_TRUE(Open()->Begin(SomePending()).ok());
  struct stat info;
  ASSERT_EQ(stat(PathOf(1).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(LedgerTest, EveryTruncationIsDataLossAndNotAFreshBudget) {
  ASSERT_TRUE(Open()->Begin(SomePending()).ok());
  const std::string content = *ReadSmallFile(PathOf(1));
  for (size_t size = 0; size < content.size(); ++size) {
    ASSERT_TRUE(ReplaceFile(PathOf(1), content.substr(0, size)).ok());
    const auto ledger = Ledger::Open(directory_, TaskOf(1));
    EXPECT_TRUE(absl::IsDataLoss(ledger.status())) << size << " " << ledger.status();
  }
}

TEST_F(LedgerTest, EveryChangedByteIsDataLoss) {
  ASSERT_TRUE(Open()->Begin(SomePending()).ok());
  const std::string content = *ReadSmallFile(PathOf(1));
  for (size_t i = 0; i < content.size(); ++i) {
    std::string changed = content;
    changed[i] ^= 1;
    ASSERT_TRUE(ReplaceFile(PathOf(1), changed).ok());
    const auto ledger = Ledger::Open(directory_, TaskOf(1));
    EXPECT_TRUE(absl::IsDataLoss(ledger.status())) << i << " " << ledger.status();
  }
}

// Such a file was never written: whoever made it could have a period's submission made twice.
TEST_F(LedgerTest, APendingSubmissionOfAPeriodThatIsNotSpentIsDataLoss) {
  Pending pending = SomePending();
  pending.part = 7;
  ASSERT_TRUE(Open()->Begin(pending).ok());
  std::string file = *ReadSmallFile(PathOf(1));
  const std::string spent("\x42\x01\x07", 3);
  const size_t at = file.rfind(spent);
  ASSERT_EQ(at + spent.size() + crypto::kSha256Bytes, file.size());
  file = file.substr(0, at);
  ASSERT_TRUE(ReplaceFile(PathOf(1), absl::StrCat(file, AsView(crypto::Sha256(file)))).ok());
  const auto ledger = Ledger::Open(directory_, TaskOf(1));
  EXPECT_TRUE(absl::IsDataLoss(ledger.status())) << ledger.status();
}

TEST_F(LedgerTest, AnotherTasksFileIsDataLoss) {
  ASSERT_TRUE(Open(2)->NoteKeyList(VersionOf(1)).ok());
  std::filesystem::rename(PathOf(2), PathOf(1));
  const auto ledger = Ledger::Open(directory_, TaskOf(1));
  EXPECT_TRUE(absl::IsDataLoss(ledger.status())) << ledger.status();
  EXPECT_THAT(std::string(ledger.status().message()), HasSubstr(PathOf(1)));
}

TEST_F(LedgerTest, ABeginThatCannotBeWrittenHasNotHappened) {
  const auto ledger = Open();
  TakeDirectoryAway();
  EXPECT_FALSE(ledger->Begin(SomePending()).ok());
  EXPECT_EQ(ledger->submissions(), 0);
  EXPECT_FALSE(ledger->pending().has_value());
  BringDirectoryBack();
  EXPECT_TRUE(ledger->Begin(SomePending()).ok());
  EXPECT_EQ(ledger->submissions(), 1);
}

TEST_F(LedgerTest, AnEndThatCannotBeWrittenLeavesTheSubmissionPending) {
  const auto ledger = Open();
  ASSERT_TRUE(ledger->Begin(SomePending()).ok());
  TakeDirectoryAway();
  EXPECT_FALSE(ledger->End(Ending::kDelivered).ok());
  EXPECT_TRUE(ledger->pending().has_value());
  BringDirectoryBack();
  EXPECT_TRUE(ledger->End(Ending::kDelivered).ok());
  EXPECT_FALSE(ledger->pending().has_value());
}

TEST_F(LedgerTest, AKeyListThatCannotBeWrittenIsNotNoted) {
  const auto ledger = Open();
  TakeDirectoryAway();
  EXPECT_FALSE(ledger->NoteKeyList(VersionOf(5)).ok());
  EXPECT_EQ(ledger->key_list().serial, 0u);
  BringDirectoryBack();
}

TEST_F(LedgerTest, ASecondSubmissionBeforeTheFirstEndsIsABrokenInvariant) {
  const auto ledger = *Ledger::Open("", TaskOf(1));
  ASSERT_TRUE(ledger->Begin(SomePending()).ok());
  EXPECT_DEATH(ledger->Begin(SomePending()).IgnoreError(), "check failed");
}

TEST_F(LedgerTest, KeepsTheLargestSubmission) {
  Pending pending = SomePending();
  // A stream's, in 32 nodes.
  pending.groups.resize(32);
  for (SealedGroup& group : pending.groups) {
    group.reports = 2048;
    group.sealed_reports = std::string(2048 * 100, 's');
  }
  { ASSERT_TRUE(Open()->Begin(pending).ok()); }
  const auto ledger = Open();
  ASSERT_EQ(ledger->pending()->groups.size(), 32u);
  EXPECT_EQ(ledger->pending()->groups.back().sealed_reports, pending.groups[0].sealed_reports);
}

TEST_F(LedgerTest, RemembersHowTheSubmissionOfEveryTokenEnded) {
  const auto named = [](uint8_t fill) {
    Pending pending = SomePending();
    pending.token.emplace().fill(fill);
    return pending;
  };
  Pending nameless = SomePending();
  nameless.token.reset();
  {
    const auto ledger = Open();
    ASSERT_TRUE(ledger->Begin(named(1)).ok());
    EXPECT_EQ(ledger->EndingOf(*named(1).token), std::nullopt) << "it has not ended";
    ASSERT_TRUE(ledger->End(Ending::kDelivered).ok());
    ASSERT_TRUE(ledger->Begin(named(2)).ok() && ledger->End(Ending::kRefused).ok());
    ASSERT_TRUE(ledger->Begin(nameless).ok() && ledger->End(Ending::kDelivered).ok());
    ASSERT_TRUE(ledger->Begin(named(3)).ok());
  }
  const auto ledger = Open();
  EXPECT_EQ(ledger->submissions(), 4);
  EXPECT_EQ(ledger->EndingOf(*named(1).token), Ending::kDelivered);
  EXPECT_EQ(ledger->EndingOf(*named(2).token), Ending::kRefused);
  EXPECT_EQ(ledger->EndingOf(*named(3).token), std::nullopt);
  EXPECT_EQ(ledger->pending()->token, named(3).token);
}

// The worked example of docs/device-ledger-format.md.
TEST_F(LedgerTest, WritesAndReadsTheDocumentedBytes) {
  const std::string documented = absl::HexStringToBytes(
      "080712201111111111111111111111111111111111111111111111111111111111111111180222240805"
      "1220b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b52a740a10d1d1d1d1"
      "d1d1d1d1d1d1d1d1d1d1d1d118073220e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1"
      "e1e1e1e1e1e1380342180a08a1a2a3a4a5a6a7a810011a085345414c45442d31200342200a08b1b2b3b4"
      "b5b6b7b810021a105345414c45442d325345414c45442d33200432203333333333333333333333333333"
      "3333333333333333333333333333333333334201030338bad4b3205ad5717ad328411e29d939db062ffa"
      "91f2407a56a39d783ad7dd");
  Pending pending;
  pending.id.fill(0xd1);
  pending.window = 7;
  pending.part = 3;
  pending.groups = {{.key = {0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8},
                     .part = 3,
                     .reports = 1,
                     .sealed_reports = "SEALED-1"},
                    {.key = {0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8},
                     .part = 4,
                     .reports = 2,
                     .sealed_reports = "SEALED-2SEALED-3"}};
  pending.token.emplace().fill(0xe1);
  {
    const auto ledger = Open(0x11);
    ASSERT_TRUE(ledger->Begin(SomePending()).ok() && ledger->End(Ending::kDelivered).ok());
    ASSERT_TRUE(ledger->NoteKeyList(VersionOf(5)).ok() && ledger->Begin(pending).ok());
  }
  EXPECT_EQ(*ReadSmallFile(PathOf(0x11)), documented);
  const auto ledger = Open(0x11);
  EXPECT_EQ(ledger->submissions(), 2);
  EXPECT_EQ(ledger->key_list().serial, 5u);
  ASSERT_EQ(ledger->pending()->groups.size(), 2u);
  EXPECT_EQ(ledger->pending()->groups[1].part, 4u);
  EXPECT_EQ(ledger->pending()->groups[1].sealed_reports, "SEALED-2SEALED-3");
}

}  // namespace
}  // namespace tombola::client
