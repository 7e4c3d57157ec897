// The whole life of a stream, with a shuffler that is killed wherever it writes: every submission
// is in the batch of each of its nodes, once, or that node is void.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/encoding.h"
#include "common/base/mutex.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/store/store_harness.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr uint64_t kPeriods = 52;

// A year of weeks: node t covers as many periods as the lowest bit of t says.
std::vector<uint32_t> Fenwick() {
  std::vector<uint32_t> start;
  for (uint32_t t = 1; t <= kPeriods; ++t) start.push_back(t & (t - 1));
  return start;
}

using Numbers = std::set<uint64_t>;

// A shuffler that is killed at the next few of its writes, again and again, and started anew from
// what the disk had at that moment.
class StreamLifeTest : public ::testing::Test {
 protected:
  StreamLifeTest()
      : task_(MakeTestTask([](v1::Task* task) {
          MakeStream(Fenwick(), task);
          task->mutable_target()->set_epsilon(60);
        })),
        clock_(TestTaskStart()),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))),
        release_(*BatchRelease::Create({.scratch_directory = scratch_.In("scratch")})),
        intervals_(*Intervals::Open(scratch_.In("intervals"))),
        directory_(scratch_.In("store")) {
    v1::Catalog wire = CatalogOf(1, *task_);
    *wire.mutable_keys() = StreamKeys(1, *task_);
    EXPECT_TRUE(catalog_->Update(wire).ok());
    Start();
  }
  // The committer closes last, and still asks for faults.
  ~StreamLifeTest() override { store_.reset(); }

  void Start() {
    releaser_.reset();
    store_.reset();
    {
      MutexLock lock(mutex_);
      snapshot_.reset();
      writes_left_ = 1 + static_cast<int>(random_.Next64() % 12);
    }
    auto opened = EmbeddedStore::Open(
        {.directory = directory_, .fault = [this](absl::string_view) { return Write(); }});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    ASSERT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
    releaser_ = std::make_unique<Releaser>(Releaser::Parts{
        .catalog = catalog_.get(),
        .gates = &gates_,
        .store = store_.get(),
        .release = &release_,
        .intervals = &intervals_,
        .signing_key = &TestShufflerKey(),
        .clock = &clock_,
        .make_random = [this] { return std::make_unique<SeededRandom>(random_.Next64()); },
        .metrics = &metrics_});
  }
  absl::Status Write() {
    MutexLock lock(mutex_);
    if (snapshot_.has_value() || --writes_left_ > 0) return absl::OkStatus();
    // One thread writes at a time here, so this is what a kill at this moment leaves.
    snapshot_ = scratch_.In(absl::StrCat("store-", ++crashes_));
    std::filesystem::copy(directory_, *snapshot_, std::filesystem::copy_options::recursive);
    return absl::OkStatus();
  }
  // Runs it until no kill comes in between; what a killed one did and heard after that is lost.
  void UntilItLives(const std::function<void()>& work) {
    while (true) {
      work();
      {
        MutexLock lock(mutex_);
        if (!snapshot_.has_value()) return;
        std::swap(directory_, *snapshot_);
      }
      Start();
      ASSERT_FALSE(HasFatalFailure());
    }
  }

  // Some of them are sent twice, under the same id.
  void Submit(uint64_t period, int count) {
    Numbers numbers;
    while (numbers.size() < static_cast<size_t>(count)) numbers.insert(++serial_);
    of_period_[period].insert(numbers.begin(), numbers.end());
    const auto window = static_cast<uint32_t>(task_->WindowAt(clock_.Now()));
    UntilItLives([&] { Send(numbers, period, window); });
    numbers.erase(numbers.begin());
    UntilItLives([&] { Send(numbers, period, window); });
  }
  void Send(const Numbers& numbers, uint64_t period, uint32_t window) {
    const std::vector<uint64_t> nodes = task_->PartsOf(period);
    std::string ids;
    std::vector<std::string> reports(nodes.size());
    for (const uint64_t number : numbers) {
      ids += IdOf(number);
      for (size_t g = 0; g < nodes.size(); ++g) {
        const std::string said = absl::StrCat(number, "/", nodes[g], "/");
        reports[g] += said + std::string(task_->sealed_bytes() - said.size(), 'r');
      }
    }
    SubmitBatch batch = {{task_->id(), NodeKeyId(period), period}, window, AsBytes(ids), {}, {}};
    for (size_t g = 0; g < nodes.size(); ++g) {
      batch.groups.push_back({{nodes[g], NodeKeyId(nodes[g])}, {}, AsBytes(reports[g])});
    }
    std::promise<absl::Status> done;
    store_->Accept(batch, [&](auto outcomes) { done.set_value(outcomes.status()); });
    const absl::Status accepted = done.get_future().get();
    EXPECT_TRUE(accepted.ok()) << accepted;
  }

  // Gives the collector what is there.
  void Deliver() {
    for (const Manifest& batch : store_->Outbox()) {
      auto reader = store_->Read(batch.batch);
      ASSERT_TRUE(reader.ok()) << reader.status();
      Numbers numbers;
      while (true) {
        const auto report = (*reader)->Next((*reader)->record_bytes());
        ASSERT_TRUE(report.ok()) << report.status();
        if (report->empty()) break;
        const std::vector<absl::string_view> said = absl::StrSplit(AsView(*report), '/');
        uint64_t number = 0;
        ASSERT_TRUE(absl::SimpleAtoi(said[0], &number));
        EXPECT_EQ(said[1], absl::StrCat(batch.of.part));
        EXPECT_TRUE(numbers.insert(number).second) << number << " is there twice";
      }
      EXPECT_EQ(batch.submissions, static_cast<int64_t>(numbers.size()));
      EXPECT_EQ(batch.of.key, NodeKeyId(batch.of.part));
      const auto [known, fresh] = delivered_.try_emplace(batch.of.part, numbers);
      EXPECT_EQ(known->second, numbers) << "another batch of node " << batch.of.part;
      ASSERT_TRUE(store_->Erase(batch.batch, BatchEnd::kForwarded).ok());
    }
  }

  // What a node is about.
  Numbers Covered(uint64_t node) const {
    Numbers covered;
    for (uint64_t period = task_->nodes()->FirstPeriod(node); period <= node; ++period) {
      const Numbers& numbers = of_period_.at(period);
      covered.insert(numbers.begin(), numbers.end());
    }
    return covered;
  }

  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  std::shared_ptr<const Task> task_;
  FakeClock clock_;
  std::unique_ptr<Catalog> catalog_;
  BatchRelease release_;
  Intervals intervals_;
  Gates gates_;
  Metrics metrics_;
  SeededRandom random_{17};
  std::string directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Releaser> releaser_;
  uint64_t serial_ = 0;
  std::map<uint64_t, Numbers> of_period_;
  std::map<uint64_t, Numbers> delivered_;

  Mutex mutex_;
  std::optional<std::string> snapshot_ ABSL_GUARDED_BY(mutex_);
  int writes_left_ ABSL_GUARDED_BY(mutex_) = 0;
  int crashes_ ABSL_GUARDED_BY(mutex_) = 0;
};

TEST_F(StreamLifeTest, EverySubmissionIsInEachOfItsNodesOnceHoweverOftenItIsKilled) {
  const Periods& periods = *task_->periods();
  const std::set<uint64_t> poor = {17, 33, 34};
  for (uint64_t period = 1; period <= kPeriods; ++period) {
    clock_.Advance(periods.Begins(period) + absl::Hours(1) - clock_.Now());
    if (!poor.contains(period)) Submit(period, 8);
    UntilItLives([&] { releaser_->Step(); });
    // The grace of two periods, when both are taken; the last one's is not, as the task has ended.
    clock_.Advance(periods.Ends(period) - absl::Seconds(1) - clock_.Now());
    Submit(period, 1);
    if (period < kPeriods) {
      Submit(period + 1, 2);
      clock_.Advance(absl::Seconds(2));
      if (!poor.contains(period)) Submit(period, 1);
      UntilItLives([&] { releaser_->Step(); });
      EXPECT_FALSE(delivered_.contains(period));
    }
    clock_.Advance(periods.Closes(period) - clock_.Now());
    UntilItLives([&] { releaser_->Step(); });
    UntilItLives([&] { Deliver(); });
    ASSERT_FALSE(HasFatalFailure());
  }
  TaskCounters expected;
  std::vector<uint64_t> void_nodes;
  for (uint64_t node = 1; node <= kPeriods; ++node) {
    const Numbers covered = Covered(node);
    const auto size = static_cast<int64_t>(covered.size());
    expected.accepted += size;
    if (size < task_->SmallestBatchOf(node)) {
      void_nodes.push_back(node);
      expected.expired += size;
      EXPECT_FALSE(delivered_.contains(node));
      continue;
    }
    expected.forwarded += size;
    ++expected.released_batches;
    EXPECT_EQ(delivered_[node], covered) << "node " << node;
  }
  // Longer ones bring their periods back.
  EXPECT_THAT(void_nodes, ElementsAreArray(poor));
  const TaskCounters counters = store_->Counters(task_->id());
  EXPECT_EQ(counters.accepted, expected.accepted);
  EXPECT_EQ(counters.forwarded, expected.forwarded);
  EXPECT_EQ(counters.expired, expected.expired);
  EXPECT_EQ(counters.released_batches, expected.released_batches);
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(store_->Kept().reports, 0);
  EXPECT_THAT(FilesIn(directory_ + "/held"), IsEmpty());
  MutexLock lock(mutex_);
  EXPECT_GT(crashes_, 100);
}

}  // namespace
}  // namespace tombola::shuffler
