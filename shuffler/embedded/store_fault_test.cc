// The store on a disk that fails: nothing is acknowledged that is not durable, and what was
// acknowledged stays.
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <string>

#include "common/base/encoding.h"
#include "common/base/mutex.h"
#include "common/disk/directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StoreFaultTest : public StoreTest {
 protected:
  StoreFaultTest() {
    options_.fault = [this](absl::string_view point) {
      MutexLock lock(mutex_);
      const auto fault = faults_.find(std::string(point));
      return fault == faults_.end() ? absl::OkStatus() : fault->second;
    };
  }
  // The committer closes last, and still asks for faults.
  ~StoreFaultTest() override { store_.reset(); }

  void Fail(const std::string& point, const absl::Status& status) {
    MutexLock lock(mutex_);
    faults_[point] = status;
  }
  void Heal() {
    MutexLock lock(mutex_);
    faults_.clear();
  }
  absl::Status SubmitStatus(const Call& call) { return shuffler::Submit(*store_, call).status(); }

  const absl::Status full_ = absl::ResourceExhaustedError("disk full");
  const absl::Status broken_ = absl::UnavailableError("input/output error");

 private:
  Mutex mutex_;
  std::map<std::string, absl::Status> faults_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(StoreFaultTest, AFullDiskRefusesAndLaterAcceptsTheSame) {
  Reopen();
  Submit({.numbers = {1}});
  for (const std::string point : {"log/write", "log/create"}) {
    const KeyId key = point == "log/write" ? KeyNumber(1) : KeyNumber(2);
    const uint64_t number = point == "log/write" ? 2 : 3;
    Fail(point, full_);
    EXPECT_TRUE(absl::IsResourceExhausted(SubmitStatus({.numbers = {number}, .key = key})));
    Heal();
    EXPECT_EQ(Accepted({.numbers = {number}, .key = key}), 1) << point;
  }
  Reopen();
  EXPECT_EQ(HeldSubmissions(), 3);
}

TEST_F(StoreFaultTest, AFailedWriteLeavesTheLogWhole) {
  Reopen();
  Submit({.numbers = {1}});
  Fail("log/write", broken_);
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}})));
  Heal();
  Submit({.numbers = {3}});
  Reopen();
  EXPECT_EQ(Release().submissions, 2);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 3));
}

// After a failed sync nobody knows what is on disk. Here it is there after all: taking it again
// before the restart would have doubled it.
TEST_F(StoreFaultTest, AFailedSyncStopsTheTaskUntilTheStoreIsReopened) {
  Reopen();
  ASSERT_TRUE(store_->AddTask(TaskNumber(2), kSealedBytes, kMostReports).ok());
  Submit({.numbers = {1}});
  Fail("log/sync", broken_);
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}})));
  Heal();
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}})));
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}, .key = KeyNumber(2)})));
  EXPECT_EQ(Accepted({.numbers = {5}, .task = TaskNumber(2)}), 1);  // others go on
  const absl::Status refused = TryRelease().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("reopen"));
  Reopen();
  EXPECT_EQ(Accepted({.numbers = {1, 2}}), 0);
  EXPECT_EQ(Release().submissions, 2);
}

TEST_F(StoreFaultTest, AWriteThatCannotBeCutOffStopsTheTaskToo) {
  Reopen();
  Submit({.numbers = {1}});
  Fail("log/write", broken_);
  Fail("log/cut", broken_);
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}})));
  Heal();
  EXPECT_TRUE(absl::IsUnavailable(SubmitStatus({.numbers = {2}})));
  Reopen();
  EXPECT_EQ(Accepted({.numbers = {2}}), 1);
}

TEST_F(StoreFaultTest, AReleaseThatFailsBeforeItsRenameCanBeRepeated) {
  Reopen();
  Submit({.numbers = Range(1, 20)});
  for (const std::string point : {"release/detached", "release/permuted", "release/remembered"}) {
    Fail(point, full_);
    EXPECT_TRUE(absl::IsResourceExhausted(TryRelease().status())) << point;
    Heal();
    EXPECT_EQ(HeldSubmissions(), 20) << point;
    EXPECT_THAT(*ListDirectory(options_.directory + "/outbox"), IsEmpty()) << point;
  }
  EXPECT_EQ(Release().submissions, 20);
  EXPECT_THAT(InOutbox(), SizeIs(20));
}

TEST_F(StoreFaultTest, ARenameInDoubtIsLeftToTheNextStart) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Fail("release/publish", broken_);
  const absl::Status status = TryRelease().status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("in doubt"));
  Heal();
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_).accepted, 2);
  EXPECT_EQ(Accepted({.numbers = {3}}), 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(TryRelease().status()));
  Reopen();
  EXPECT_EQ(Release().submissions, 3);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2, 3));
}

TEST_F(StoreFaultTest, ALogThatOutlivesItsReleaseIsNotReleasedAgain) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Fail("release/published", broken_);  // the log is not removed
  const Manifest totals = Release();
  Heal();
  Reopen();
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2));
  EXPECT_TRUE(Erase(totals.batch).ok());
}

TEST_F(StoreFaultTest, EraseRemovesALogThatOutlivedItsRelease) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Fail("release/published", broken_);
  const Manifest totals = Release();
  Heal();
  EXPECT_TRUE(Erase(totals.batch).ok());
  EXPECT_THAT(*ListDirectory(options_.directory + "/held/" + ToHex(task_)), IsEmpty());
}

TEST_F(StoreFaultTest, EraseCanBeRepeatedAndCountsOnce) {
  Reopen();
  Submit({.numbers = {1, 2}});
  const Manifest totals = Release();
  for (const std::string point : {"erase/begin", "erase/counted", "erase/removed"}) {
    Fail(point, broken_);
    EXPECT_TRUE(absl::IsUnavailable(Erase(totals.batch))) << point;
    Heal();
    EXPECT_EQ(store_->Counters(task_).accepted, 2);
  }
  EXPECT_TRUE(Erase(totals.batch).ok());
  EXPECT_TRUE(absl::IsNotFound(Erase(totals.batch)));
  EXPECT_EQ(store_->Counters(task_).forwarded, 2);
  Reopen();
  EXPECT_EQ(store_->Counters(task_).forwarded, 2);
  EXPECT_THAT(*ListDirectory(options_.directory + "/outbox"), IsEmpty());
}

TEST_F(StoreFaultTest, ADestructionThatFailsEarlyCanBeRepeated) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Fail("destroy/remembered", full_);
  EXPECT_TRUE(absl::IsResourceExhausted(store_->Destroy(of_).status()));
  Heal();
  EXPECT_EQ(HeldSubmissions(), 2);
  EXPECT_EQ(*store_->Destroy(of_), 2);
}

TEST_F(StoreFaultTest, ADestructionThatFailsLateIsFinishedAtTheNextStart) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Fail("destroy/counted", broken_);
  EXPECT_TRUE(absl::IsUnavailable(store_->Destroy(of_).status()));
  Heal();
  EXPECT_EQ(store_->Counters(task_).expired, 2);
  Reopen();
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_).expired, 2);
  EXPECT_EQ(store_->Counters(task_).accepted, 2);
}

// Holds the committer in its first sync until told to go on, so that what is queued meanwhile
// shares the next commit.
class Gate {
 public:
  void Pass() {
    MutexLock lock(mutex_);
    entered_ = true;
    changed_.NotifyAll();
    while (!open_) changed_.Wait(mutex_);
  }
  void AwaitEntry() {
    MutexLock lock(mutex_);
    while (!entered_) changed_.Wait(mutex_);
  }
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool entered_ ABSL_GUARDED_BY(mutex_) = false;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
};

// Another key's log fails in the same commit: that the duplicate's original is stored cannot be
// promised, so it is not.
TEST_F(StoreFaultTest, ADuplicateIsNotPromisedWhenItsOriginalWasNotStored) {
  Gate gate;
  options_.fault = [&gate, faults = options_.fault](absl::string_view point) {
    if (point == "log/sync") gate.Pass();
    return faults(point);
  };
  Reopen();
  auto first = std::async(std::launch::async, [&] {
    return shuffler::Submit(*store_, {.numbers = {10}, .key = KeyNumber(2)});
  });
  gate.AwaitEntry();
  Fail("log/create", full_);
  const std::string id = IdOf(11), report = ReportOf(11);
  std::promise<absl::Status> original, duplicate;
  SubmitBatch call = {{task_, KeyNumber(3)}, 7, AsBytes(id), {}, AsBytes(report)};
  store_->Accept(call, [&](auto answer) { original.set_value(answer.status()); });
  call.of.key = KeyNumber(2);  // whose log is open and well
  store_->Accept(call, [&](auto answer) { duplicate.set_value(answer.status()); });
  gate.Open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(absl::IsResourceExhausted(original.get_future().get()));
  EXPECT_TRUE(absl::IsUnavailable(duplicate.get_future().get()));
  Heal();
  EXPECT_EQ(Accepted({.numbers = {11}, .key = KeyNumber(2)}), 1);
  store_.reset();  // before the gate goes
}

// The same with the queue: what waits for the disk takes its memory, and beyond the limit calls are
// refused at once.
TEST_F(StoreFaultTest, ASlowDiskFillsTheQueue) {
  Gate gate;
  options_.queue_limit_bytes = 1500;
  options_.fault = [&gate](absl::string_view point) {
    if (point == "log/sync") gate.Pass();
    return absl::OkStatus();
  };
  Reopen();
  auto first = std::async(std::launch::async, [&] {
    return shuffler::Submit(*store_, {.numbers = {1, 2}});
  });
  gate.AwaitEntry();
  EXPECT_TRUE(absl::IsResourceExhausted(SubmitStatus({.numbers = {3, 4, 5, 6, 7}})));
  gate.Open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(Accepted({.numbers = {3, 4, 5}}), 3);
  store_.reset();
}

// A log that takes nothing more ends with an empty frame: its last commit cannot be torn any more.
TEST_F(StoreFaultTest, DamageToTheLastCommitOfALogThatHasEndedIsReported) {
  Reopen();
  Submit({.numbers = {1, 2, 3}});
  const std::string crashed = options_.directory + "-crashed";
  std::filesystem::copy(options_.directory, crashed, std::filesystem::copy_options::recursive);
  store_.reset();
  StoreOptions after_crash = options_;
  after_crash.directory = crashed;
  { ASSERT_TRUE(EmbeddedStore::Open(after_crash).ok()); }
  for (const StoreOptions& options : {options_, after_crash}) {
    { ASSERT_TRUE(EmbeddedStore::Open(options).ok()) << "twice changes nothing"; }
    for (const auto& [path, bytes] : FilesIn(options.directory + "/held")) {
      std::string changed = bytes;
      changed[kLogHeaderBytes + kFrameHeaderBytes + 40] ^= 1;
      std::ofstream(options.directory + "/held/" + path, std::ios::binary) << changed;
    }
    EXPECT_TRUE(absl::IsDataLoss(EmbeddedStore::Open(options).status())) << options.directory;
  }
}

}  // namespace
}  // namespace tombola::shuffler
