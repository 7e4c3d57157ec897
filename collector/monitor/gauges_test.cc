#include "collector/monitor/gauges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/monitor/call_counters.h"
#include "collector/query/answer_metrics.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/test_batch.h"
#include "common/base/retry_after.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CollectorGaugesTest : public ::testing::Test {
 protected:
  CollectorGaugesTest()
      : clock_(TestTaskStart()),
        random_(3),
        catalog_(*Catalog::Open(directory_.In("catalog.db"))),
        keys_(*KeyRing::Open({.directory = directory_.In("keys"),
                              .signing_key = &TestCollectorKey(),
                              .clock = &clock_,
                              .times = {}},
                             random_)),
        ledger_(*SqliteLedger::Open(directory_.In("batches.db"))),
        answers_({.calls = 4, .bytes = 1000, .retry = absl::Seconds(1)}) {
    AddGauges({.catalog = catalog_.get(),
               .keys = keys_.get(),
               .ledger = ledger_.get(),
               .answers = &answers_,
               .clock = &clock_,
               .directory = directory_.In("")},
              metrics_);
  }

  ScratchDirectory directory_;
  FakeClock clock_;
  SeededRandom random_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<KeyRing> keys_;
  std::unique_ptr<BatchLedger> ledger_;
  FairShare answers_;
  Metrics metrics_;
};

TEST_F(CollectorGaugesTest, TellOfTasksTheirBatchesAndWhatTheShufflerToldCoarsely) {
  const auto task = MakeTestTask();
  ASSERT_TRUE(catalog_->Add(task).ok());
  ASSERT_TRUE(catalog_->SetProgress(task->id(), 35, 0).ok());
  BatchRecord record;
  record.batch = {1};
  record.of.task = task->id();
  record.state = BatchState::kQuarantined;
  ASSERT_TRUE(ledger_->Add(record).ok());
  const std::string labels =
      absl::StrCat("{name=\"", task->name(), "\",task=\"", ToHex(task->id()), "\"}");
  EXPECT_THAT(metrics_.Text(),
              AllOf(HasSubstr("tombola_collector_tasks{state=\"open\"} 1\n"),
                    HasSubstr("tombola_collector_tasks{state=\"closed\"} 0\n"),
                    HasSubstr("tombola_collector_tasks_without_gauges 0\n"),
                    HasSubstr(absl::StrCat("tombola_collector_task_held_ratio", labels, " 0.35")),
                    HasSubstr(absl::StrCat("tombola_collector_task_batches{name=\"", task->name(),
                                           "\",state=\"quarantined\",task=\"", ToHex(task->id()),
                                           "\"} 1\n")),
                    HasSubstr(absl::StrCat("tombola_collector_task_messages", labels, " 0\n"))));
}

TEST_F(CollectorGaugesTest, TellOfKeysAndDatabases) {
  EXPECT_THAT(metrics_.Text(),
              AllOf(HasSubstr("tombola_collector_hpke_keys{state=\"active\"} 1\n"),
                    HasSubstr("tombola_collector_hpke_keys{state=\"destroyed\"} 0\n"),
                    HasSubstr("tombola_collector_database_bytes{database=\"keys\"} "),
                    Not(HasSubstr("tombola_collector_database_bytes{database=\"keys\"} 0\n")),
                    Not(HasSubstr("tombola_collector_database_bytes{database=\"batches\"} 0\n"))));
}

TEST(CallCounters, AMethodThatNobodyOffersIsNoLabelOfItsOwn) {
  Metrics metrics;
  CallCounters calls(metrics);
  calls.Count("GetAnswer", "OK");
  calls.Count("GetAnswer", "RESOURCE_EXHAUSTED");
  calls.Count("Invented", "UNIMPLEMENTED");
  EXPECT_THAT(
      metrics.Text(),
      AllOf(HasSubstr("{code=\"OK\",rpc=\"GetAnswer\"} 1\n"),
            HasSubstr("{code=\"RESOURCE_EXHAUSTED\",rpc=\"GetAnswer\"} 1\n"),
            HasSubstr("{code=\"OK\",rpc=\"CreateTask\"} 0\n"),
            HasSubstr("{code=\"UNIMPLEMENTED\",rpc=\"other\"} 1\n"), Not(HasSubstr("Invented"))));
}

TEST(AnswerMetrics, CountByCauseAndTakeTheTime) {
  Metrics metrics;
  AnswerMetrics answers(metrics);
  answers.Refused(Refusal("bytes", "busy", absl::Seconds(1)));
  answers.Refused(absl::NotFoundError("no task"));
  answers.Refused(absl::DataLossError("?"));
  answers.Took(absl::Milliseconds(20));
  EXPECT_THAT(metrics.Text(),
              AllOf(HasSubstr("tombola_collector_answers_refused_total{cause=\"bytes\"} 1\n"),
                    HasSubstr("{cause=\"unknown_task\"} 1\n"), HasSubstr("{cause=\"other\"} 1\n"),
                    HasSubstr("tombola_collector_answer_seconds_bucket{le=\"0.025\"} 1\n")));
}

}  // namespace
}  // namespace tombola::collector
