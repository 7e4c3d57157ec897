#include "collector/query/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "collector/aggregate/aggregator.h"
#include "collector/test_batch.h"
#include "common/kind/kind.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

constexpr int64_t kDevices = 2000;

// Honest devices, but for the last ones, who send one and the same report.
TaskTotals Collect(const std::shared_ptr<const Task>& task, int64_t flood) {
  SeededRandom random(5);
  const auto aggregator = MakeAggregator(task->kind().tables()[0]);
  for (int64_t i = 0; i < kDevices; ++i) {
    const std::string report = i < kDevices - flood
                                   ? DrawReport(*task, static_cast<uint64_t>(i) % 20, random)
                                   : PlainReport(4, 4);
    EXPECT_EQ(aggregator->Add(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(report.data()),
                                                  report.size())),
              mechanism::ReportState::kValid);
  }
  TaskTotals totals;
  totals.counted_batches = 1;
  totals.good = totals.tally.submissions = kDevices;
  totals.rejected = {.unopened = 1, .malformed = 20, .out_of_range = 300};
  totals.counts.tables = {
      {.reports = kDevices, .counts = aggregator->counts(), .hashes = aggregator->hashes()}};
  totals.duplicates = 9;
  return totals;
}

// A false alarm has probability 1e-6 at most.
TEST(QualityTest, SaysHowFarADishonestShareReaches) {
  const auto task =
      MakeTestTask([](v1::Task* wire) { wire->mutable_batch_policy()->set_dishonest_share(0.1); });
  const Quality quality = QualityOf(*task, Collect(task, /*flood=*/0));
  EXPECT_EQ(quality.duplicates, 9);
  const double signal = mechanism::Signal(task->kind().tables()[0]->count_model());
  EXPECT_DOUBLE_EQ(quality.shift_per_dishonest, 1 / (kDevices * signal));
  EXPECT_EQ(quality.dishonest, kDevices / 10);
  EXPECT_DOUBLE_EQ(quality.shift_at_dishonest_share, 0.1 / signal);
  EXPECT_TRUE(quality.warnings.empty());
}

TEST(QualityTest, WarnsOfAFlood) {
  const auto task = MakeTestTask();
  const Quality quality = QualityOf(*task, Collect(task, /*flood=*/200));
  EXPECT_EQ(quality.dishonest, 0);
  EXPECT_EQ(quality.shift_at_dishonest_share, 0);
  EXPECT_THAT(quality.warnings, testing::Contains(testing::Field(&Warning::kind, "seeds")));
}

}  // namespace
}  // namespace tombola::collector
