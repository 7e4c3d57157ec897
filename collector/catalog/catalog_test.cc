#include "collector/catalog/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "collector/test_batch.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

std::shared_ptr<const Task> TaskNamed(const std::string& name) {
  return MakeTestTask([&](v1::Task* task) { task->set_name(name); });
}

std::vector<std::string> Names(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog.Tasks()) names.push_back(entry.task->name());
  return names;
}

class CatalogTest : public ::testing::Test {
 protected:
  CatalogTest() { Restart(); }
  void Restart() {
    catalog_.reset();
    auto catalog = Catalog::Open(directory_.In("catalog.db"));
    ASSERT_TRUE(catalog.ok()) << catalog.status();
    catalog_ = *std::move(catalog);
  }

  ScratchDirectory directory_;
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogTest, KeepsTasksByteForByteAndInOrderOverARestart) {
  const auto first = TaskNamed("zebra"), second = TaskNamed("ant");
  ASSERT_TRUE(catalog_->Add(first).ok());
  ASSERT_TRUE(catalog_->Add(second).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_EQ(Names(*catalog_), (std::vector<std::string>{"zebra", "ant"}));
    const auto found = catalog_->Find(second->id());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->task->bytes(), second->bytes());
    EXPECT_EQ(found->task->id(), second->id());
    EXPECT_FALSE(found->closed);
  }
}

TEST_F(CatalogTest, ANameOfAnOpenTaskIsRefusedWhereItMustBeUnique) {
  const absl::Time now = TestTaskStart() + absl::Hours(1);
  const auto named = [](char nonce) {
    return MakeTestTask([nonce](v1::Task* task) {
      task->set_name("colours");
      task->set_nonce(std::string(16, nonce));
    });
  };
  const auto first = named(1), second = named(2);
  ASSERT_TRUE(catalog_->Add(first, now).ok());
  for (const absl::Status& refused :
       {catalog_->Add(second, now), catalog_->CheckName("colours", now)}) {
    EXPECT_TRUE(absl::IsAlreadyExists(refused)) << refused;
    EXPECT_TRUE(absl::StrContains(refused.message(), ToHex(first->id()))) << refused;
  }
  EXPECT_EQ(Names(*catalog_).size(), 1u);
  EXPECT_TRUE(catalog_->CheckName("colour", now).ok());
  EXPECT_TRUE(catalog_->CheckName("colours", first->not_after()).ok()) << "that one is over then";
  ASSERT_TRUE(catalog_->Close(first->id()).ok());
  EXPECT_TRUE(catalog_->Add(second, now).ok());
  EXPECT_TRUE(catalog_->Add(named(3)).ok()) << "asked for without that";
}

TEST_F(CatalogTest, OnlyAClosedTaskIsArchivedAndThatLastsOverARestart) {
  const auto task = TaskNamed("old");
  EXPECT_TRUE(absl::IsNotFound(catalog_->SetArchived(task->id(), true)));
  ASSERT_TRUE(catalog_->Add(task).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(catalog_->SetArchived(task->id(), true)));
  ASSERT_TRUE(catalog_->Close(task->id()).ok());
  const uint64_t version = catalog_->version();
  for (const bool archived : {true, true, false, true}) {
    ASSERT_TRUE(catalog_->SetArchived(task->id(), archived).ok());
    Restart();
    const CatalogEntry entry = *catalog_->Find(task->id());
    EXPECT_EQ(entry.archived, archived);
    EXPECT_TRUE(entry.closed);
  }
  EXPECT_EQ(catalog_->version(), version) << "the shuffler need not know";
}

TEST_F(CatalogTest, ATaskThatSupersedesAnotherClosesItAndIsKnownToItOverARestart) {
  const auto after = [](const std::shared_ptr<const Task>& before, char nonce) {
    return MakeTestTask([&](v1::Task* task) {
      task->set_name("colours");
      task->set_nonce(std::string(16, nonce));
      task->set_supersedes(std::string(AsView(before->id())));
    });
  };
  const absl::Time now = TestTaskStart() + absl::Hours(1);
  const auto first = TaskNamed("colours"), second = after(first, 2);
  EXPECT_TRUE(absl::IsInvalidArgument(catalog_->Add(second, now))) << "there is none";
  EXPECT_TRUE(Names(*catalog_).empty());
  ASSERT_TRUE(catalog_->Add(first, now).ok());
  EXPECT_TRUE(catalog_->CheckName("colours", now, first->id()).ok());
  ASSERT_TRUE(catalog_->Add(second, now).ok()) << "the name is free with it";
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_TRUE(catalog_->Find(first->id())->closed);
    EXPECT_EQ(catalog_->Find(first->id())->superseded_by, second->id());
    EXPECT_FALSE(catalog_->Find(second->id())->closed);
    EXPECT_FALSE(catalog_->Find(second->id())->superseded_by.has_value());
  }
  const absl::Status again = catalog_->Add(after(first, 3));
  EXPECT_TRUE(absl::IsInvalidArgument(again)) << again;
  EXPECT_TRUE(absl::StrContains(again.message(), ToHex(second->id()))) << again;
  const auto stream = MakeTestTask([&](v1::Task* task) {
    MakeStream({0, 1}, task);
    task->set_supersedes(std::string(AsView(second->id())));
  });
  EXPECT_TRUE(absl::IsInvalidArgument(catalog_->Add(stream))) << "of another kind";
  EXPECT_EQ(Names(*catalog_).size(), 2u);
}

TEST_F(CatalogTest, ATaskEntersOnce) {
  const auto task = TaskNamed("once");
  ASSERT_TRUE(catalog_->Add(task).ok());
  const uint64_t version = catalog_->version();
  EXPECT_TRUE(absl::IsAlreadyExists(catalog_->Add(task)));
  EXPECT_EQ(catalog_->version(), version);
  EXPECT_EQ(catalog_->Tasks().size(), 1u);
  Restart();
  EXPECT_EQ(catalog_->version(), version);
  EXPECT_EQ(catalog_->Tasks().size(), 1u);
}

TEST_F(CatalogTest, AllTasksTogetherAreBounded) {
  const auto first = TaskNamed("first"), second = TaskNamed("second"), third = TaskNamed("third");
  const int64_t two =
      CatalogBytesOf(first->bytes().size()) + CatalogBytesOf(second->bytes().size());
  catalog_ = *Catalog::Open(directory_.In("bounded.db"), two);
  ASSERT_TRUE(catalog_->Add(first).ok());
  ASSERT_TRUE(catalog_->Add(second).ok());
  EXPECT_EQ(catalog_->bytes(), two);
  const uint64_t version = catalog_->version();
  ASSERT_TRUE(catalog_->Close(first->id()).ok());
  const absl::Status full = catalog_->Add(third);
  EXPECT_TRUE(absl::IsFailedPrecondition(full)) << full;
  EXPECT_TRUE(absl::StrContains(full.message(), absl::StrCat("at most ", two))) << full;
  EXPECT_EQ(catalog_->version(), version + 1);
  // What is there stays, whatever the bound.
  catalog_.reset();
  catalog_ = *Catalog::Open(directory_.In("bounded.db"), 1);
  EXPECT_EQ(catalog_->bytes(), two);
  EXPECT_EQ(catalog_->Tasks().size(), 2u);
  EXPECT_TRUE(absl::IsFailedPrecondition(catalog_->Add(third)));
}

TEST_F(CatalogTest, AnUnknownTaskIsNotFound) {
  ASSERT_TRUE(catalog_->Add(TaskNamed("known")).ok());
  const TaskId unknown = TaskNamed("unknown")->id();
  EXPECT_TRUE(absl::IsNotFound(catalog_->Find(unknown).status()));
  EXPECT_TRUE(absl::IsNotFound(catalog_->Close(unknown)));
  EXPECT_TRUE(absl::IsNotFound(catalog_->SetProgress(unknown, 5, 0)));
}

TEST_F(CatalogTest, AClosedTaskStaysClosedAndClosingItAgainIsNoChange) {
  const auto task = TaskNamed("closing"), other = TaskNamed("open");
  ASSERT_TRUE(catalog_->Add(task).ok());
  ASSERT_TRUE(catalog_->Add(other).ok());
  ASSERT_TRUE(catalog_->Close(task->id()).ok());
  const uint64_t version = catalog_->version();
  EXPECT_TRUE(catalog_->Close(task->id()).ok());
  EXPECT_EQ(catalog_->version(), version);
  Restart();
  EXPECT_TRUE(catalog_->Find(task->id())->closed);
  EXPECT_FALSE(catalog_->Find(other->id())->closed);
}

TEST_F(CatalogTest, TheVersionGrowsWithEveryChangeForTheShufflerAndOverRestarts) {
  uint64_t last = catalog_->version();
  const auto grew = [&] {
    const uint64_t now = catalog_->version();
    const bool larger = now > last;
    last = now;
    Restart();
    return larger && catalog_->version() == now;
  };
  // A shuffler that knows nothing says 0.
  EXPECT_GT(last, 0u);
  const auto task = TaskNamed("changing");
  ASSERT_TRUE(catalog_->Add(task).ok());
  EXPECT_TRUE(grew());
  ASSERT_TRUE(catalog_->Close(task->id()).ok());
  EXPECT_TRUE(grew());
}

TEST_F(CatalogTest, ProgressIsKeptAndIsNoChangeForTheShuffler) {
  const auto task = TaskNamed("held");
  ASSERT_TRUE(catalog_->Add(task).ok());
  const uint64_t version = catalog_->version();
  ASSERT_TRUE(catalog_->SetProgress(task->id(), 35, 12).ok());
  EXPECT_EQ(catalog_->version(), version);
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto entry = catalog_->Find(task->id());
    EXPECT_EQ(entry->held_percent, 35u);
    EXPECT_EQ(entry->expired, 12);
  }
}

TEST_F(CatalogTest, AnEntryThatWasTakenDoesNotChange) {
  const auto task = TaskNamed("snapshot");
  ASSERT_TRUE(catalog_->Add(task).ok());
  const auto before = catalog_->Find(task->id());
  ASSERT_TRUE(catalog_->Close(task->id()).ok());
  EXPECT_FALSE(before->closed);
  EXPECT_TRUE(catalog_->Find(task->id())->closed);
}

TEST_F(CatalogTest, ATaskIsAddedOnce) {
  const auto task = TaskNamed("zebra");
  ASSERT_TRUE(catalog_->Add(task).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(catalog_->Add(task)));
  Restart();
  EXPECT_EQ(Names(*catalog_), std::vector<std::string>{"zebra"});
}

TEST_F(CatalogTest, ADamagedRowStopsTheStart) {
  for (const char* damage :
       {"UPDATE tasks SET closed = 1", "UPDATE tasks SET expired = 7",
        "UPDATE tasks SET bytes = x'00'", "UPDATE tasks SET checksum = zeroblob(32)",
        "DELETE FROM tasks WHERE position = 2", "UPDATE tasks SET position = 7 WHERE position = 2",
        "UPDATE version SET number = number - 1", "DELETE FROM version"}) {
    catalog_.reset();
    std::filesystem::remove(directory_.In("catalog.db"));
    std::filesystem::remove(directory_.In("catalog.db.mark"));
    Restart();
    ASSERT_TRUE(catalog_->Add(TaskNamed("zebra")).ok());
    ASSERT_TRUE(catalog_->Add(TaskNamed("ant")).ok());
    catalog_.reset();
    ExecuteBehindItsBack(directory_.In("catalog.db"), damage);
    EXPECT_TRUE(absl::IsDataLoss(Catalog::Open(directory_.In("catalog.db")).status())) << damage;
  }
}

}  // namespace
}  // namespace tombola::collector
