// The store crashes before every sync that it makes, in three ways, and is opened again: nothing
// that was acknowledged is lost, and nothing is there twice.
#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/disk/test_crash_disk.h"
#include "shuffler/embedded/embedded_harness.h"
#include "tests/support/scratch_directory.h"

namespace tombola::shuffler {
namespace {

using Numbers = std::set<uint64_t>;

// What the outside world knows at some moment.
struct Knowledge {
  std::string step;
  Numbers submitted;  // the call is made
  Numbers acknowledged;
  Numbers erasing, erased;        // Erase was called; it returned
  Numbers destroying, destroyed;  // likewise
  Numbers released;               // read from the outbox
};

struct Moment {
  Knowledge known;
  DiskImage image;
  Crash crash;
};

Numbers Union(const Numbers& a, const Numbers& b) {
  Numbers both = a;
  both.insert(b.begin(), b.end());
  return both;
}

class StoreCrashTest : public StoreTest {
 protected:
  // Runs the script; a crash is imagined before every sync in it.
  void Record(const std::function<void()>& script) {
    CrashDisk disk(options_.directory, [&] { Imagine(); });
    disk_ = &disk;
    Reopen();
    script();
    Step("the end");
    Imagine();
    store_.reset();
    disk_ = nullptr;
  }

  void Imagine() {
    for (const Crash crash : {Crash::kProcess, Crash::kPower, Crash::kData}) {
      DiskImage image = disk_->Image(crash);  // takes the disk's lock, so not under ours
      MutexLock lock(mutex_);
      moments_.push_back({known_, std::move(image), crash});
    }
  }

  template <typename Change>
  void Know(Change change) {
    MutexLock lock(mutex_);
    change(known_);
  }
  void Step(const std::string& step) {
    Know([&](Knowledge& known) { known.step = step; });
  }

  // --- the script's verbs ---
  void Send(const Call& call) {
    Know([&](Knowledge& known) {
      known.step = "send";
      known.submitted.insert(call.numbers.begin(), call.numbers.end());
    });
    ASSERT_EQ(Submit(call).size(), call.numbers.size());
    Know([&](Knowledge& known) {
      known.acknowledged.insert(call.numbers.begin(), call.numbers.end());
    });
  }

  BatchId ReleaseAll(const KeyId& key = KeyNumber(1)) {
    Step("release");
    const Manifest totals = Release(key);
    const auto numbers = NumbersIn(*store_, totals.batch);
    EXPECT_TRUE(numbers.ok());
    Know([&](Knowledge& known) { known.released.insert(numbers->begin(), numbers->end()); });
    return totals.batch;
  }

  void EraseBatch(const BatchId& batch) {
    const auto numbers = NumbersIn(*store_, batch);
    ASSERT_TRUE(numbers.ok());
    Know([&](Knowledge& known) {
      known.step = "erase";
      known.erasing.insert(numbers->begin(), numbers->end());
    });
    ASSERT_TRUE(Erase(batch).ok());
    Know([](Knowledge& known) { known.erased = known.erasing; });
  }

  void DestroyAll(const Numbers& numbers) {
    Know([&](Knowledge& known) {
      known.step = "destroy";
      known.destroying = Union(known.destroying, numbers);
    });
    ASSERT_TRUE(store_->Destroy(of_).ok());
    Know([](Knowledge& known) { known.destroyed = known.destroying; });
  }

  // Opens the store as a crash left it and checks what is there.
  void Check(const Moment& moment) {
    const Knowledge& known = moment.known;
    ScratchDirectory scratch{ScratchDirectory::Place::kMemory};
    StoreOptions options = options_;
    options.directory = scratch.path() + "/crashed";
    CrashDisk::Restore(moment.image, options.directory);
    auto opened = EmbeddedStore::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EmbeddedStore& store = **opened;
    ASSERT_TRUE(store.AddTask(task_, kSealedBytes, kMostReports).ok());
    const TaskCounters counters = store.Counters(task_);
    const auto outbox_before = store.Outbox();

    for (const HeldInfo& held : store.Held()) {
      ASSERT_TRUE(TryRelease(store, held.of).ok());
    }
    std::vector<uint64_t> found;
    for (const Manifest& batch : store.Outbox()) {
      const auto numbers = NumbersIn(store, batch.batch);
      ASSERT_TRUE(numbers.ok()) << numbers.status();
      found.insert(found.end(), numbers->begin(), numbers->end());
    }
    const Numbers present(found.begin(), found.end());
    ASSERT_EQ(present.size(), found.size()) << "something is there twice";

    const Numbers may_be_gone = Union(known.erasing, known.destroying);
    const Numbers gone = Union(known.erased, known.destroyed);
    for (const uint64_t number : known.acknowledged) {
      EXPECT_TRUE(present.contains(number) || may_be_gone.contains(number)) << number << " lost";
    }
    for (const uint64_t number : present) {
      EXPECT_TRUE(known.submitted.contains(number));
      EXPECT_FALSE(gone.contains(number)) << number << " came back";
    }
    // What left as a batch did not fall back to the held logs.
    int64_t in_outbox = 0;
    for (const Manifest& batch : outbox_before) in_outbox += batch.submissions;
    const auto left = std::count_if(present.begin(), present.end(), [&](uint64_t number) {
      return known.released.contains(number);
    });
    EXPECT_GE(in_outbox, left);

    EXPECT_EQ(counters.accepted,
              static_cast<int64_t>(present.size()) + counters.forwarded + counters.expired);
    EXPECT_GE(counters.accepted, static_cast<int64_t>(known.acknowledged.size()));
    EXPECT_LE(counters.accepted, static_cast<int64_t>(known.submitted.size()));
    EXPECT_GE(counters.forwarded, static_cast<int64_t>(known.erased.size()));
    EXPECT_LE(counters.forwarded, static_cast<int64_t>(known.erasing.size()));
    EXPECT_GE(counters.expired, static_cast<int64_t>(known.destroyed.size()));
    EXPECT_LE(counters.expired, static_cast<int64_t>(known.destroying.size()));

    // Whoever was acknowledged and tries again is told so, wherever the submission is by now.
    const std::vector<uint64_t> again(known.acknowledged.begin(), known.acknowledged.end());
    const auto outcomes = shuffler::Submit(store, {.numbers = again});
    ASSERT_TRUE(outcomes.ok()) << outcomes.status();
    EXPECT_THAT(*outcomes, ::testing::Each(Outcome::kDuplicate));
  }

  // Checks every moment that was recorded; how many.
  size_t CheckAll() {
    std::vector<Moment> moments;
    {
      MutexLock lock(mutex_);
      moments.swap(moments_);
    }
    for (size_t i = 0; i < moments.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "moment " << i / 3 << ", " << moments[i].known.step
                                      << ", crash " << static_cast<int>(moments[i].crash));
      Check(moments[i]);
      if (HasFatalFailure()) break;
    }
    return moments.size();
  }

  Mutex mutex_;
  Knowledge known_ ABSL_GUARDED_BY(mutex_);
  std::vector<Moment> moments_ ABSL_GUARDED_BY(mutex_);
  CrashDisk* disk_ = nullptr;
};

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
