// A releaser over a real store, with one task of which 5 submissions suffice and 10 are planned.
#ifndef TOMBOLA_SHUFFLER_BATCH_RELEASER_HARNESS_H_
#define TOMBOLA_SHUFFLER_BATCH_RELEASER_HARNESS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {

// The clock is a minute after the task's beginning.
class ReleaserHarness : public ::testing::Test {
 protected:
  explicit ReleaserHarness(const std::function<void(v1::Task*)>& change)
      : task_(MakeTestTask(change)),
        clock_(TestTaskStart() + absl::Minutes(1)),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))),
        store_(*EmbeddedStore::Open({.directory = scratch_.In("store")})),
        release_(*BatchRelease::Create({.scratch_directory = scratch_.In("scratch")})),
        intervals_(*Intervals::Open(scratch_.In("intervals"))),
        releaser_(Parts()) {
    EXPECT_TRUE(catalog_->Update(CatalogOf(1, *task_)).ok());
    EXPECT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  }

  Releaser::Parts Parts() {
    return {.catalog = catalog_.get(),
            .gates = &gates_,
            .store = store_.get(),
            .release = &release_,
            .intervals = &intervals_,
            .signing_key = &TestShufflerKey(),
            .clock = &clock_,
            .make_random = [this] { return std::make_unique<SeededRandom>(5 + batches_++); },
            .metrics = &metrics_};
  }

  // `count` submissions that differ from all others.
  void SubmitTo(const KeyId& key, uint64_t part, int count) {
    std::string ids, reports;
    for (int i = 0; i < count; ++i) {
      const std::string number = absl::StrCat(absl::Dec(++serial_, absl::kZeroPad4));
      ids += std::string(12, 'i') + number;
      reports += number + std::string(task_->sealed_bytes() - number.size(), 'r');
    }
    const auto span = [](const std::string& s) {
      return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(s.data()), s.size());
    };
    std::promise<bool> done;
    store_->Accept({.of = {.task = task_->id(), .key = key, .part = part},
                    .window = 0,
                    .submission_ids = span(ids),
                    .report_counts = {},
                    .sealed_reports = span(reports)},
                   [&](auto outcomes) { done.set_value(outcomes.ok()); });
    ASSERT_TRUE(done.get_future().get());
  }
  int64_t HeldCount() const {
    int64_t held = 0;
    for (const HeldInfo& info : store_->Held()) held += info.submissions;
    return held;
  }

  ScratchDirectory scratch_;
  std::shared_ptr<const Task> task_;
  FakeClock clock_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Store> store_;
  BatchRelease release_;
  Intervals intervals_;
  Gates gates_;
  Metrics metrics_;
  Releaser releaser_;
  int serial_ = 0;
  uint64_t batches_ = 0;  // whose ids differ
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_RELEASER_HARNESS_H_
