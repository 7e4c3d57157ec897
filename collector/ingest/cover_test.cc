#include "collector/ingest/cover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/catalog/task_maker.h"
#include "collector/ingest/test_intake.h"

namespace tombola::collector {
namespace {

// As `task create` makes them when nothing else is said.
v1::CreateTaskRequest Request(const std::string& mechanism, uint64_t users) {
  v1::CreateTaskRequest request;
  request.set_name("colours");
  request.set_domain_size(20);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  request.set_users(users);
  request.set_mechanism(mechanism);
  request.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  return request;
}

std::shared_ptr<const Task> Make(const v1::CreateTaskRequest& request) {
  SeededRandom random(1);
  auto task = MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random);
  EXPECT_TRUE(task.ok()) << task.status();
  return *std::move(task);
}

// Of honest devices, on average.
int64_t ReportsOf(const Task& task, uint64_t part, int64_t devices) {
  return std::llround(static_cast<double>(devices) *
                      task.SchemeOf(part).expected_reports_per_submission());
}

int64_t Covered(const Task& task, uint64_t part, int64_t submissions, int64_t good, int64_t bad) {
  Manifest manifest;
  manifest.of.part = part;
  manifest.submissions = submissions;
  return CoveredSubmissions(task, manifest, good, bad);
}

TEST(CoverTest, ASubmissionFullOfGarbageDoesNotVoidABatchThatHasSomeToSpare) {
  for (const char* mechanism : {"pure_dump", "aue", "correlated"}) {
    for (const uint64_t users : {1000, 100'000}) {
      SCOPED_TRACE(absl::StrCat(mechanism, " ", users));
      const auto task = Make(Request(mechanism, users));
      ASSERT_EQ(task->batch_policy().dishonest_share, 0);
      const auto n = static_cast<int64_t>(users);
      const int64_t most = task->scheme()->max_reports_per_submission();
      ASSERT_GT(most, 1);
      const int64_t good = ReportsOf(*task, 0, n - 1);
      const int64_t smallest = task->batch_policy().smallest_batch;
      EXPECT_EQ(Covered(*task, 0, n, good, most), std::max(n - most, smallest));
      EXPECT_EQ(Covered(*task, 0, n, good, 0), n);
      // As many as the batch may lose, and one more.
      const int64_t spare = n - *task->scheme()->parameters().honest;
      const int64_t rest = ReportsOf(*task, 0, n - spare);
      EXPECT_EQ(Covered(*task, 0, n, rest, spare * most), n - spare);
      EXPECT_LT(Covered(*task, 0, n, rest, spare * most + 1), task->batch_policy().smallest_batch);
    }
  }
}

// Bad reports that a few submissions may have sent and that, by what is missing, many have.
TEST(CoverTest, WhatIsMissingAmongTheGoodOnesCounts) {
  for (const char* mechanism : {"pure_dump", "aue", "correlated"}) {
    SCOPED_TRACE(mechanism);
    const int64_t n = 10'000;
    const auto task = Make(Request(mechanism, n));
    const int64_t all = ReportsOf(*task, 0, n);
    const int64_t smallest = task->batch_policy().smallest_batch;
    EXPECT_LT(Covered(*task, 0, n, 0, all), smallest) << "nothing opens";
    EXPECT_LT(Covered(*task, 0, n, all / 2, all - all / 2), smallest) << "half of it does not";
    // How much noise `correlated` has is so uncertain that this may be chance.
    if (mechanism == std::string("correlated")) continue;
    EXPECT_LT(Covered(*task, 0, n, all - n / 5 * 2, n / 5 * 2), smallest)
        << "a report of each of four in ten";
  }
}

// Devices whose own reports are good and whose noise cannot be opened: nothing hides anybody,
// however few reports are bad, and whatever share the task takes for dishonest.
TEST(CoverTest, WithoutNoiseABatchIsWorthNothing) {
  for (const double share : {0.0, 0.05}) {
    v1::CreateTaskRequest request = Request("pure_dump", 1000);
    request.set_domain_size(2);
    request.set_epsilon(0.8);
    request.set_dishonest_share(share);
    request.set_smallest_batch(800);
    const auto task = Make(request);
    const int64_t bad = ReportsOf(*task, 0, 1000) - 1000;
    ASSERT_GT(bad, 0);
    ASSERT_LT(bad, 200) << "so few that each may have spoilt a submission";
    EXPECT_EQ(Covered(*task, 0, 1000, 1000, bad), 0);
    EXPECT_EQ(Covered(*task, 0, 1000, 1000 + bad, 0), 1000);
  }
}

TEST(CoverTest, OfAStreamsNodesToo) {
  v1::CreateTaskRequest request = Request("pure_dump", 1000);
  request.set_kind(v1::KIND_STREAM);
  request.mutable_stream()->set_periods(8);
  request.mutable_stream()->set_structure("fenwick");
  request.set_interval(24 * 3600);
  const auto task = Make(request);
  for (const uint64_t node : {1, 8}) {
    const int64_t n = node == 1 ? 1000 : 8000;
    const int64_t most = task->SchemeOf(node).max_reports_per_submission();
    EXPECT_EQ(Covered(*task, node, n, ReportsOf(*task, node, n - 1), most),
              std::max(n - most, task->SmallestBatchOf(node)));
  }
}

TEST(CoverTest, ADishonestShareAnswersFirst) {
  v1::CreateTaskRequest request = Request("pure_dump", 1000);
  request.set_dishonest_share(0.05);
  const auto task = Make(request);
  const int64_t most = task->scheme()->max_reports_per_submission();
  const int64_t good = ReportsOf(*task, 0, 940);
  EXPECT_EQ(Covered(*task, 0, 1000, good, 50 * most), 1000);
  EXPECT_EQ(Covered(*task, 0, 1000, good, 60 * most), task->batch_policy().smallest_batch);
  // As many as leave the smallest batch, less its share, and no more.
  EXPECT_LT(Covered(*task, 0, 1000, good, 160 * most), task->batch_policy().smallest_batch);
}

// Through the intake: a batch of the planned number, with one submission that is garbage.
TEST_F(IntakeTest, GarbageOfOneSubmissionLeavesABatchCounted) {
  v1::CreateTaskRequest request = Request("pure_dump", 300);
  request.set_epsilon(3);
  task_ = Make(request);
  ASSERT_TRUE(catalog_->Add(task_).ok());
  std::string reports = GoodReports(ReportsOf(*task_, 0, 299));
  for (int64_t i = 0; i < task_->scheme()->max_reports_per_submission(); ++i) {
    reports += BadReport();
  }
  const auto record = Deliver(MakeBatch(*task_, kBatch, key_id_, reports,
                                        [](v1::Manifest* of) { of->set_submissions(300); }));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kCounted);
  EXPECT_GE(record->users, task_->batch_policy().smallest_batch);
  EXPECT_EQ(record->tally.submissions, 300);
}

}  // namespace
}  // namespace tombola::collector
