// The store crashes before every sync that it makes, in three ways, and is opened again: nothing
// that was acknowledged is lost, and nothing is there twice.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "shuffler/embedded/crash_harness.h"

namespace tombola::shuffler {
namespace {

TEST_F(StoreCrashTest, AcceptReleaseAndErase) {
  Record([&] {
    Send({.numbers = Range(1, 5)});
    Send({.numbers = Range(6, 8), .window = 8});
    Send({.numbers = {9}, .key = KeyNumber(2)});
    const BatchId first = ReleaseAll();
    Send({.numbers = {10, 11}});
    EraseBatch(first);
    const BatchId second = ReleaseAll();
    const BatchId third = ReleaseAll(KeyNumber(2));
    EraseBatch(third);
    EraseBatch(second);
    Send({.numbers = {12}});
  });
  EXPECT_GT(CheckAll(), 150u);
}

TEST_F(StoreCrashTest, AScatteredRelease) {
  release_options_.memory_limit_bytes = 4 * kSealedBytes;
  Record([&] {
    Send({.numbers = Range(1, 30)});
    EraseBatch(ReleaseAll());
  });
  EXPECT_GT(CheckAll(), 50u);
}

TEST_F(StoreCrashTest, Destroy) {
  Record([&] {
    Send({.numbers = Range(1, 5)});
    DestroyAll({1, 2, 3, 4, 5});
    Send({.numbers = {6, 7}});
    DestroyAll({6, 7});
    Send({.numbers = {8}});
    EraseBatch(ReleaseAll());
  });
  EXPECT_GT(CheckAll(), 50u);
}

TEST_F(StoreCrashTest, SubmissionsThatArriveDuringARelease) {
  Record([&] {
    Send({.numbers = Range(1, 5)});
    const auto busy = [&](const Manifest&) -> absl::StatusOr<std::string> {
      Send({.numbers = {6, 7}});
      Step("release, busy");
      return "manifest";
    };
    ASSERT_TRUE(TryRelease(busy).ok());
    Send({.numbers = {8}});
    ReleaseAll();
  });
  EXPECT_GT(CheckAll(), 50u);
}

TEST_F(StoreCrashTest, Restarts) {
  Record([&] {
    Send({.numbers = {1, 2}});
    Reopen();
    Send({.numbers = {3}});
    Reopen();
    const BatchId batch = ReleaseAll();
    Reopen();
    Send({.numbers = {4}});
    EraseBatch(batch);
    Reopen();
    Send({.numbers = {5}});
    DestroyAll({4, 5});
    Reopen();
  });
  EXPECT_GT(CheckAll(), 50u);
}

// Whatever fails, fails.
void LiveOnABadDisk(const StoreOptions& options, const ReleaseOptions& release_options,
                    RandomSource& random, Knowledge& known) {
  const auto store = EmbeddedStore::Open(options);
  if (!store.ok()) return;
  ASSERT_TRUE((*store)->AddTask(TaskNumber(1), kSealedBytes, kMostReports).ok());
  const auto send = [&](const std::vector<uint64_t>& numbers) {
    known.submitted.insert(numbers.begin(), numbers.end());
    Submit(**store, {.numbers = numbers}).status().IgnoreError();
  };
  const auto release = [&]() -> absl::StatusOr<Manifest> {
    const auto line = BatchRelease::Create(release_options);
    if (!line.ok()) return line.status();
    return line->Run(**store,
                     {.of = {TaskNumber(1), KeyNumber(1)},
                      .make_manifest = [](const Manifest&) -> absl::StatusOr<std::string> {
                        return "manifest";
                      }},
                     random);
  };
  send(Range(1, 5));
  const auto first = release();
  send({6, 7});
  if (first.ok()) {
    known.erasing = {1, 2, 3, 4, 5};
    (*store)->Erase(first->batch, BatchEnd::kForwarded).IgnoreError();
  }
  release().status().IgnoreError();
}

// From some sync on all syncs fail and the process ends. The next one finds what the kernel kept,
// answers by it, and only then is lost what was never synced.
TEST_F(StoreCrashTest, FailedSyncsThenARestartThenAPowerFailure) {
  bool failed = true;
  for (int good_syncs = 0; failed; ++good_syncs) {
    SCOPED_TRACE(testing::Message() << "after " << good_syncs << " syncs");
    options_.directory = scratch_.path() + "/store-" + std::to_string(good_syncs);
    CrashDisk* watched = nullptr;
    int left = good_syncs;
    CrashDisk disk(options_.directory, [&] {
      if (left-- == 0) watched->FailSyncs(true);
    });
    watched = &disk;
    Knowledge known;
    LiveOnABadDisk(options_, release_options_, random_, known);
    failed = left < 0;
    left = std::numeric_limits<int>::max();
    disk.FailSyncs(false);
    Reopen();
    if (HasFatalFailure()) return;
    Accepted({.numbers = {known.submitted.begin(), known.submitted.end()}});
    known.acknowledged = known.submitted;
    for (const Crash crash : {Crash::kPower, Crash::kData}) {
      SCOPED_TRACE(testing::Message() << "crash " << static_cast<int>(crash));
      Check({known, disk.Image(crash), crash});
    }
    store_.reset();
    if (HasFailure()) return;
  }
}

// The checks above rest on this: what is not synced is lost, removals included.
TEST_F(StoreCrashTest, ThePowerImageLacksWhatWasNotSynced) {
  CrashDisk disk(scratch_.path(), nullptr);
  CrashDisk::Restore({{"/file", "bytes"}}, scratch_.path());
  EXPECT_FALSE(disk.Image(Crash::kPower).contains("/file"));
  EXPECT_EQ(disk.Image(Crash::kData).at("/file"), "");
  EXPECT_EQ(disk.Image(Crash::kProcess).at("/file"), "bytes");
  ASSERT_TRUE(SyncDirectory(scratch_.path()).ok());
  EXPECT_EQ(disk.Image(Crash::kPower).at("/file"), "");
  ASSERT_TRUE(File::OpenToWrite(scratch_.path() + "/file")->SyncData().ok());
  EXPECT_EQ(disk.Image(Crash::kPower).at("/file"), "bytes");
  ASSERT_TRUE(RemoveFile(scratch_.path() + "/file").ok());
  EXPECT_EQ(disk.Image(Crash::kPower).at("/file"), "bytes");
  ASSERT_TRUE(SyncDirectory(scratch_.path()).ok());
  EXPECT_FALSE(disk.Image(Crash::kPower).contains("/file"));
}

}  // namespace
}  // namespace tombola::shuffler
