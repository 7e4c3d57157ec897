#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "bench/load/latencies.h"
#include "bench/load/schedule.h"
#include "bench/load/sealed_load.h"

namespace tombola::bench {
namespace {

TEST(LatenciesTest, QuantilesAreByNearestRank) {
  Latencies latencies;
  EXPECT_EQ(latencies.Quantile(0.5), absl::ZeroDuration());
  for (int i = 1000; i >= 1; --i) latencies.Add(absl::Microseconds(i));
  EXPECT_EQ(latencies.Quantile(0.5), absl::Microseconds(500));
  EXPECT_EQ(latencies.Quantile(0.99), absl::Microseconds(990));
  EXPECT_EQ(latencies.Quantile(0.999), absl::Microseconds(999));
  EXPECT_EQ(latencies.Quantile(0.9991), absl::Microseconds(1000));
  EXPECT_EQ(latencies.Quantile(1), absl::Microseconds(1000));
  EXPECT_EQ(latencies.Quantile(1e-12), absl::Microseconds(1));
}

TEST(LatenciesTest, MergedOnesCountTogether) {
  Latencies one, two;
  for (int i = 0; i < 99; ++i) one.Add(absl::Milliseconds(1));
  two.Add(absl::Seconds(1));
  one.Merge(two);
  EXPECT_EQ(one.size(), 100);
  EXPECT_EQ(one.Quantile(0.99), absl::Milliseconds(1));
  EXPECT_EQ(one.Quantile(0.995), absl::Seconds(1));
}

TEST(ScheduleTest, CallsAreDueAtTheRateWhateverBecomesOfThem) {
  const absl::Time start = absl::FromUnixSeconds(1000);
  const Schedule schedule(start, 4000);
  EXPECT_EQ(schedule.Due(0), start);
  EXPECT_EQ(schedule.Due(1), start + absl::Microseconds(250));
  EXPECT_EQ(schedule.Due(40'000), start + absl::Seconds(10));
}

SealedLoad Example() {
  SealedLoad load;
  load.task.fill(1);
  load.key.fill(2);
  load.sealed_bytes = 3;
  load.ids = std::string(16, 'a') + std::string(16, 'b') + std::string(16, 'c');
  load.reports = "AAABBBCCC";
  return load;
}

TEST(SealedLoadTest, APartHasItsOwnIdsAndReports) {
  const SealedLoad load = Example();
  EXPECT_EQ(load.size(), 3);
  EXPECT_EQ(load.IdsOf(1, 2), std::string(16, 'b') + std::string(16, 'c'));
  EXPECT_EQ(load.ReportsOf(1, 2), "BBBCCC");
}

TEST(SealedLoadTest, IsReadAsItWasSaved) {
  const std::string path = testing::TempDir() + "/load_test.sealed";
  const SealedLoad load = Example();
  ASSERT_TRUE(Save(load, path).ok());
  const auto read = Load(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->task, load.task);
  EXPECT_EQ(read->key, load.key);
  EXPECT_EQ(read->sealed_bytes, load.sealed_bytes);
  EXPECT_EQ(read->ids, load.ids);
  EXPECT_EQ(read->reports, load.reports);
  EXPECT_FALSE(Load(testing::TempDir() + "/no such file").ok());
}

}  // namespace
}  // namespace tombola::bench
