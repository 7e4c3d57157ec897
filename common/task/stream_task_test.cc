#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "common/task/task.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StreamTaskTest, ASubmissionHasAGroupForEachNodeOverItsPeriod) {
  const auto task = MakeTestTask([](v1::Task* wire) { MakeStream({0, 0, 2, 0}, wire); });
  ASSERT_NE(task->nodes(), nullptr);
  EXPECT_EQ(task->periods()->count(), 4u);
  EXPECT_THAT(task->PartsOf(1), ElementsAre(1, 2, 4));
  EXPECT_THAT(task->PartsOf(2), ElementsAre(2, 4));
  EXPECT_THAT(task->PartsOf(3), ElementsAre(3, 4));
  EXPECT_THAT(task->PartsOf(4), ElementsAre(4));
  EXPECT_EQ(task->SmallestBatchOf(4), 20);
}

TEST(StreamTaskTest, RefusesNodesThatDoNotFitThePeriods) {
  v1::Task wire = TestTaskProto();
  MakeStream({0, 0}, &wire);
  wire.mutable_stream()->set_start(1, 2);
  EXPECT_THAT(std::string(Task::Parse(wire.SerializeAsString()).status().message()),
              HasSubstr("task.stream.start must be before its node"));
  wire.mutable_stream()->set_start(1, 0);
  wire.set_not_after(wire.not_after() + 1);
  EXPECT_THAT(std::string(Task::Parse(wire.SerializeAsString()).status().message()),
              HasSubstr("task.stream.start must be as many as the task has periods"));
}

TEST(StreamTaskTest, RefusesABatchWithFewerHonestThanItsNoiseIsFor) {
  v1::Task wire = TestTaskProto();
  MakeStream({0, 0}, &wire);
  wire.mutable_stream()->mutable_nodes(1)->set_smallest_batch(9);
  EXPECT_THAT(std::string(Task::Parse(wire.SerializeAsString()).status().message()),
              HasSubstr("task.stream.nodes.smallest_batch must be so large"));
}

// Each of these nodes has tables of 700,000 entries.
TEST(StreamTaskTest, RefusesNoiseWhoseTablesWouldFillMemory) {
  v1::Task wire = TestTaskProto();
  std::vector<uint32_t> start(30);
  std::iota(start.begin(), start.end(), 0);
  MakeStream(start, &wire);
  uint64_t rate = uint64_t{1} << 37;
  for (v1::StreamNode& node : *wire.mutable_stream()->mutable_nodes()) {
    v1::Correlated* const noise = node.mutable_mechanism()->mutable_correlated();
    noise->set_noise_success(~uint64_t{0} - (uint64_t{1} << 52) + 1);
    noise->set_flood_success(noise->noise_success());
    noise->set_noise_rate(++rate);
    noise->set_flood_rate(rate);
    noise->set_honest(10'000);
    noise->set_max_noise(60'000);
    node.set_smallest_batch(10'000);
  }
  EXPECT_THAT(std::string(Task::Parse(wire.SerializeAsString()).status().message()),
              HasSubstr("task.stream.nodes must be such that their clusters' tables"));
}

}  // namespace
}  // namespace tombola
