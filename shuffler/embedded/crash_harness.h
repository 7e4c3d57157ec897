// The store crashes before every sync that it makes, in three ways, and is opened again: nothing
// that was acknowledged is lost, and nothing is there twice.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_CRASH_HARNESS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_CRASH_HARNESS_H_

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/disk/test_crash_disk.h"
#include "shuffler/embedded/embedded_harness.h"
#include "tests/support/scratch_directory.h"

namespace tombola::shuffler {

using Numbers = std::set<uint64_t>;

// What the outside world knows at some moment. Of a stream each report has a number of its own, and
// every submission one for each of its nodes.
struct Knowledge {
  std::string step;
  std::map<uint64_t, Numbers> periods;  // the submissions that are acknowledged
  Numbers submitted;                    // the call is made
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

inline Numbers Union(const Numbers& a, const Numbers& b) {
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

  void SendToPeriod(uint64_t period, const std::vector<uint64_t>& numbers,
                    const std::vector<uint64_t>& nodes) {
    Numbers said;
    for (const uint64_t node : nodes) {
      for (const uint64_t number : InNode(numbers, node)) said.insert(number);
    }
    Know([&](Knowledge& known) {
      known.step = "send to a period";
      known.submitted.insert(said.begin(), said.end());
    });
    const auto outcomes =
        SubmitToPeriod(*store_, {.numbers = numbers, .period = period, .nodes = nodes});
    ASSERT_TRUE(outcomes.ok()) << outcomes.status();
    Know([&](Knowledge& known) {
      known.acknowledged.insert(said.begin(), said.end());
      known.periods[period].insert(numbers.begin(), numbers.end());
    });
    nodes_over_[period] = nodes;
  }

  void Scatter(uint64_t period) {
    Step("scatter");
    const auto scattered = store_->Scatter(OfNode(period));
    ASSERT_TRUE(scattered.ok()) << scattered.status();
  }

  BatchId ReleaseAll(const KeyId& key = KeyNumber(1)) { return ReleaseAll({task_, key}); }
  BatchId ReleaseAll(const BatchKey& of) {
    Step("release");
    const auto released = TryRelease(*store_, of);
    EXPECT_TRUE(released.ok()) << released.status();
    const Manifest totals = released.value_or(Manifest());
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

  void DestroyAll(const Numbers& numbers) { DestroyAll(numbers, of_); }
  void DestroyAll(const Numbers& numbers, const BatchKey& of) {
    Know([&](Knowledge& known) {
      known.step = "destroy";
      known.destroying = Union(known.destroying, numbers);
    });
    ASSERT_TRUE(store_->Destroy(of).ok());
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

    // Whoever was acknowledged and tries again is told so, wherever the submission is by now.
    for (const auto& [period, numbers] : known.periods) {
      const auto outcomes = SubmitToPeriod(store, {.numbers = {numbers.begin(), numbers.end()},
                                                   .period = period,
                                                   .nodes = nodes_over_.at(period)});
      ASSERT_TRUE(outcomes.ok()) << outcomes.status();
      EXPECT_THAT(*outcomes, ::testing::Each(Outcome::kDuplicate));
    }
    for (const HeldInfo& held : store.Held()) {
      if (!held.for_period) continue;
      ASSERT_TRUE(store.Scatter(held.of).ok());
    }
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

    if (!known.periods.empty()) return;
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
  std::map<uint64_t, std::vector<uint64_t>> nodes_over_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_CRASH_HARNESS_H_
