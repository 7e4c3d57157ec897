#include "shuffler/monitor/gauges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "shuffler/test_parts.h"
#include "tests/support/fake_clock.h"

namespace tombola::shuffler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GaugesTest : public ::testing::Test {
 protected:
  GaugesTest()
      : clock_(TestTaskStart() + absl::Minutes(1)),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))),
        store_(*EmbeddedStore::Open({.directory = scratch_.In("store")})),
        submissions_({.calls = 10, .bytes = 1000, .retry = absl::Seconds(1)}),
        lookups_({.calls = 10, .bytes = 1000, .retry = absl::Seconds(1)}) {
    AddGauges({.catalog = catalog_.get(),
               .store = store_.get(),
               .gates = &gates_,
               .submissions = &submissions_,
               .lookups = &lookups_,
               .clock = &clock_,
               .limits = {.held_reports = 77},
               .store_directory = scratch_.In("store")},
              metrics_);
  }

  void Serve(const Task& task, uint64_t version = 1, bool closed = false) {
    ASSERT_TRUE(catalog_->Update(CatalogOf(version, task, closed)).ok());
    ASSERT_TRUE(store_->AddTask(task.id(), static_cast<int64_t>(task.sealed_bytes()), 1).ok());
  }

  // Of a stream, in its first period.
  void SubmitToStream(const Task& task, int count) {
    std::string ids, reports;
    for (int i = 0; i < count; ++i) ids += std::string(16, static_cast<char>('a' + i));
    SubmitBatch batch = {.of = {.task = task.id(), .key = NodeKeyId(1), .part = 1}};
    std::vector<std::string> groups;
    for (const uint64_t node : task.PartsOf(1)) {
      groups.emplace_back();
      for (int i = 0; i < count; ++i) {
        groups.back() += std::string(task.sealed_bytes(), static_cast<char>('a' + 8 * node + i));
      }
    }
    batch.submission_ids = AsBytes(ids);
    for (const uint64_t node : task.PartsOf(1)) {
      batch.groups.push_back({{node, NodeKeyId(node)}, {}, AsBytes(groups[batch.groups.size()])});
    }
    std::promise<bool> done;
    store_->Accept(batch, [&](auto outcomes) { done.set_value(outcomes.ok()); });
    ASSERT_TRUE(done.get_future().get());
  }

  void Submit(const Task& task, int count) {
    std::string ids, reports;
    for (int i = 0; i < count; ++i) {
      ids += std::string(16, static_cast<char>('a' + i));
      reports += std::string(task.sealed_bytes(), static_cast<char>('a' + i));
    }
    const auto span = [](const std::string& s) {
      return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(s.data()), s.size());
    };
    std::promise<bool> done;
    store_->Accept({.of = {.task = task.id(), .key = TestKeyId(7)},
                    .window = 0,
                    .submission_ids = span(ids),
                    .report_counts = {},
                    .sealed_reports = span(reports)},
                   [&](auto outcomes) { done.set_value(outcomes.ok()); });
    ASSERT_TRUE(done.get_future().get());
  }

  ScratchDirectory scratch_;
  FakeClock clock_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Store> store_;
  Gates gates_;
  FairShare submissions_;
  FairShare lookups_;
  Metrics metrics_;
};

TEST_F(GaugesTest, TellThatThereIsNothingYet) {
  EXPECT_THAT(metrics_.Text(), AllOf(HasSubstr("tombola_shuffler_catalog_version 0\n"),
                                     HasSubstr("tombola_shuffler_key_list_serial 0\n"),
                                     HasSubstr("tombola_shuffler_held_submissions 0\n"),
                                     HasSubstr("tombola_shuffler_held_reports_limit 77\n"),
                                     HasSubstr("tombola_shuffler_tasks{state=\"open\"} 0\n")));
}

TEST_F(GaugesTest, TellWhatATaskHoldsAndNeeds) {
  const auto task = MakeTestTask();
  Serve(*task);
  Submit(*task, 4);
  const std::string labels =
      absl::StrCat("{name=\"", task->name(), "\",task=\"", ToHex(task->id()), "\"}");
  EXPECT_THAT(
      metrics_.Text(),
      AllOf(HasSubstr(absl::StrCat("tombola_shuffler_task_held_submissions", labels, " 4\n")),
            HasSubstr(absl::StrCat("tombola_shuffler_task_needed_submissions", labels, " 5\n")),
            HasSubstr(absl::StrCat("tombola_shuffler_task_planned_submissions", labels, " 10\n")),
            HasSubstr("tombola_shuffler_held_batches{state=\"filling\"} 1\n"),
            HasSubstr("tombola_shuffler_held_submissions 4\n"),
            HasSubstr("tombola_shuffler_held_reports 4\n"),
            HasSubstr("tombola_shuffler_digests 8\n"),
            HasSubstr("tombola_shuffler_tasks{state=\"open\"} 1\n"),
            Not(HasSubstr("tombola_shuffler_store_bytes{part=\"held\"} 0\n"))));
}

TEST_F(GaugesTest, TellWhenABatchIsEnoughAndWhenItIsFull) {
  const auto task = MakeTestTask();
  Serve(*task);
  Submit(*task, 5);
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_shuffler_held_batches{state=\"enough\"} 1\n"));
  Submit(*task, 10);  // five of them again
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_shuffler_held_batches{state=\"full\"} 1\n"));
}

TEST_F(GaugesTest, TellWhatAStreamHoldsForItsPeriodAndInItsNodes) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0, 2, 0}, wire);
    wire->mutable_target()->set_epsilon(20);
  });
  Serve(*task);
  SubmitToStream(*task, 4);
  const std::string labels =
      absl::StrCat("{name=\"", task->name(), "\",task=\"", ToHex(task->id()), "\"}");
  EXPECT_THAT(
      metrics_.Text(),
      AllOf(HasSubstr(absl::StrCat("tombola_shuffler_task_held_submissions", labels, " 4\n")),
            HasSubstr(absl::StrCat("tombola_shuffler_task_needed_submissions", labels, " 5\n")),
            HasSubstr("tombola_shuffler_held_submissions 4\n"),
            HasSubstr("tombola_shuffler_held_nodes 0\n"),
            HasSubstr("tombola_shuffler_held_reports 12\n")));
  ASSERT_TRUE(store_->Scatter({task->id(), NodeKeyId(1), 1}).ok());
  EXPECT_THAT(
      metrics_.Text(),
      AllOf(HasSubstr(absl::StrCat("tombola_shuffler_task_held_submissions", labels, " 0\n")),
            HasSubstr("tombola_shuffler_held_submissions 0\n"),
            HasSubstr("tombola_shuffler_held_nodes 3\n"),
            HasSubstr("tombola_shuffler_held_node_submissions 12\n"),
            HasSubstr("tombola_shuffler_held_batches{state=\"filling\"} 3\n")));
}

TEST_F(GaugesTest, AClosedTaskWithoutSubmissionsIsNotShownOnItsOwn) {
  const auto task = MakeTestTask();
  Serve(*task, 1, true);
  EXPECT_THAT(metrics_.Text(), AllOf(HasSubstr("tombola_shuffler_tasks{state=\"closed\"} 1\n"),
                                     Not(HasSubstr(ToHex(task->id())))));
}

TEST_F(GaugesTest, TellWhenThePresentKeyEnds) {
  Serve(*MakeTestTask());
  const auto start = static_cast<double>(absl::ToUnixSeconds(TestTaskStart()));
  const std::string text = metrics_.Text();
  const auto value = [&](const std::string& name) {
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  };
  EXPECT_EQ(value("tombola_shuffler_active_key_begin_timestamp_seconds"), start);
  EXPECT_EQ(value("tombola_shuffler_active_key_end_timestamp_seconds"), start + 1000000);
}

}  // namespace
}  // namespace tombola::shuffler
