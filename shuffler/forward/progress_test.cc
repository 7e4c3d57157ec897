#include "shuffler/forward/progress.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/task/progress.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"

namespace tombola::shuffler {
namespace {

TEST(CoarsePercent, RoundsDownToStepsOfFiveAndStopsAtAHundred) {
  EXPECT_EQ(CoarsePercent(0, 1000), 0u);
  EXPECT_EQ(CoarsePercent(49, 1000), 0u);
  EXPECT_EQ(CoarsePercent(50, 1000), 5u);
  EXPECT_EQ(CoarsePercent(999, 1000), 95u);
  EXPECT_EQ(CoarsePercent(1000, 1000), 100u);
  EXPECT_EQ(CoarsePercent(5000, 1000), 100u);
  EXPECT_EQ(CoarsePercent(3, 0), 100u);
}

class ProgressReporterTest : public ::testing::Test {
 protected:
  ProgressReporterTest()
      : task_(MakeTestTask()),
        clock_(TestTaskStart()),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))),
        store_(*EmbeddedStore::Open({.directory = scratch_.In("store")})),
        reporter_({.catalog = catalog_.get(),
                   .store = store_.get(),
                   .tell =
                       [this](const v1::SignedProgress& told) {
                         told_.push_back(*Progress::Parse(told.progress()));
                         return absl::OkStatus();
                       },
                   .signing_key = &TestShufflerKey(),
                   .clock = &clock_,
                   .steady = &steady_}) {
    EXPECT_TRUE(catalog_->Update(CatalogOf(1, *task_)).ok());
    EXPECT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  }

  // One more of the task's ten.
  void Submit() {
    const std::string id(16, static_cast<char>('a' + submitted_));
    const std::string report(task_->sealed_bytes(), static_cast<char>('a' + submitted_++));
    const auto span = [](const std::string& s) {
      return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(s.data()), s.size());
    };
    std::promise<bool> done;
    store_->Accept({.of = {.task = task_->id(), .key = TestKeyId(7)},
                    .window = 0,
                    .submission_ids = span(id),
                    .report_counts = {},
                    .sealed_reports = span(report)},
                   [&](auto outcomes) { done.set_value(outcomes.ok()); });
    ASSERT_TRUE(done.get_future().get());
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    steady_.Advance(time);
  }

  const ScratchDirectory scratch_;
  const std::shared_ptr<const Task> task_;
  FakeClock clock_;
  FakeSteadyClock steady_;
  const std::unique_ptr<Catalog> catalog_;
  const std::unique_ptr<Store> store_;
  std::vector<Progress> told_;
  ProgressReporter reporter_;
  int submitted_ = 0;
};

TEST_F(ProgressReporterTest, TellsChangesOnceAMinute) {
  reporter_.Step();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].time, clock_.Now());
  Submit();
  reporter_.Step();
  EXPECT_EQ(told_.size(), 1u) << "a minute has not passed";
  Pass(absl::Minutes(1));
  reporter_.Step();
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[1].held_percent, 10u);
  Pass(absl::Minutes(1));
  reporter_.Step();
  EXPECT_EQ(told_.size(), 2u) << "nothing has changed";
}

TEST_F(ProgressReporterTest, AJumpOfTheClockTellsNothingAndKeepsNothingBack) {
  clock_.Advance(absl::Hours(1));
  clock_.SetDoubt(true);
  reporter_.Step();
  EXPECT_TRUE(told_.empty());
  clock_.SetDoubt(false);  // it has stood firm
  reporter_.Step();
  ASSERT_EQ(told_.size(), 1u);
  Submit();
  clock_.Advance(-absl::Hours(1));  // and is put right
  Pass(absl::Minutes(1));
  reporter_.Step();
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[1].time, clock_.Now());
}

// What waits in longer nodes was told when its period was open.
TEST_F(ProgressReporterTest, OfAStreamItTellsWhatIsHeldForThePeriod) {
  const auto stream = MakeTestTask([](v1::Task* wire) { MakeStream({0, 0}, wire); });
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *stream)).ok());
  ASSERT_TRUE(store_->AddTask(stream->id(), static_cast<int64_t>(stream->sealed_bytes()), 1).ok());
  const std::string id(16, 'i'), own(stream->sealed_bytes(), 'a'),
      next(stream->sealed_bytes(), 'b');
  const BatchKey of = {stream->id(), NodeKeyId(1), 1};
  SubmitBatch batch = {of, 0, AsBytes(id), {}, {}};
  batch.groups = {{{1, NodeKeyId(1)}, {}, AsBytes(own)}, {{2, NodeKeyId(2)}, {}, AsBytes(next)}};
  std::promise<bool> done;
  store_->Accept(batch, [&](auto outcomes) { done.set_value(outcomes.ok()); });
  ASSERT_TRUE(done.get_future().get());
  reporter_.Step();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].held_percent, 10u);
  ASSERT_TRUE(store_->Scatter(of).ok());
  Pass(absl::Minutes(1));
  reporter_.Step();
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[1].held_percent, 0u);
}

}  // namespace
}  // namespace tombola::shuffler
