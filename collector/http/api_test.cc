#include "collector/http/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <optional>

#include "collector/store/sqlite_ledger.h"
#include "common/base/roles.h"
#include "common/json/text.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() : clock_(TestTaskStart()), task_(MakeTestTask()) {
    catalog_ = *Catalog::Open(":memory:");
    ledger_ = *SqliteLedger::Open(":memory:");
    EXPECT_TRUE(catalog_->Add(task_).ok());
    answers_.emplace(catalog_.get(), ledger_.get(), &budget_, &answer_metrics_, &clock_);
    infos_.emplace(ledger_.get());
    router_ = MakeRoutes({.catalog = catalog_.get(),
                          .ledger = ledger_.get(),
                          .clock = &clock_,
                          .metrics = &metrics_,
                          .answers = &*answers_,
                          .audit = audit_.get(),
                          .infos = &*infos_,
                          .plans = plans_.get(),
                          .budget = &budget_,
                          .files = &files_,
                          .answer_pool = &pool_,
                          .desk = &desk_,
                          .monitor = &monitor_,
                          .ready = [this] { return ready_; }});
  }
  void Count() {
    const int64_t users = task_->batch_policy().planned_submissions;
    BatchRecord record;
    record.batch.fill(7);
    record.of.task = task_->id();
    record.good = record.users = record.tally.submissions = users;
    record.finished = clock_.Now();
    record.counts.tables.resize(1);
    record.counts.tables[0].counts.assign(static_cast<size_t>(task_->domain().size()), users / 2);
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  http::Response Get(const std::string& path,
                     std::vector<std::pair<std::string, std::string>> query = {},
                     const std::vector<std::string>& roles = {std::string(kRoleAnalyst)},
                     std::vector<std::string> tasks = {}) {
    auto promise = std::make_shared<std::promise<http::Response>>();
    http::Request request;
    request.path = path;
    request.query = std::move(query);
    request.tasks = std::move(tasks);
    router_.Serve(request, roles,
                  [promise](http::Response response) { promise->set_value(std::move(response)); });
    return promise->get_future().get();
  }
  std::string Of(const std::string& what) const { return "/v1/tasks/" + ToHex(task_->id()) + what; }

  ScratchDirectory scratch_;
  FakeClock clock_;
  std::unique_ptr<AuditLog> audit_ = *AuditLog::Open(scratch_.In("audit.log"), &clock_);
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<BatchLedger> ledger_;
  Metrics metrics_;
  FairShare budget_{{.calls = 2, .bytes = int64_t{1} << 30, .retry = absl::Seconds(1)}};
  AnswerMetrics answer_metrics_{metrics_};
  std::optional<Answers> answers_;
  std::optional<TaskInfos> infos_;
  Files files_;
  absl::Status ready_;
  WorkPool desk_{1};
  WorkPool monitor_{1};
  WorkPool pool_{1};
  std::shared_ptr<Plans> plans_ = Plans::Create(&budget_, &pool_);
  http::Router router_;
};

TEST_F(ApiTest, AnAnswerHoldsItsTicketUntilItIsDropped) {
  Count();
  {
    const http::Response first = Get(Of("/answer"));
    ASSERT_EQ(first.status, 200) << *first.body;
    EXPECT_EQ(budget_.calls(), 1);
    EXPECT_LE(budget_.bytes(), static_cast<int64_t>(first.body->capacity()));
    const http::Response second = Get(Of("/answer"));
    EXPECT_EQ(second.status, 429) << "of two calls one task gets one";
    EXPECT_EQ(Json::parse(*second.body)["error"]["status"], "RESOURCE_EXHAUSTED");
    EXPECT_THAT(second.headers, testing::Contains(testing::Pair("Retry-After", "1")));
  }
  EXPECT_EQ(budget_.calls(), 0);
  EXPECT_EQ(budget_.bytes(), 0);
}

TEST_F(ApiTest, ATaskGoesByItsNameOrTheBeginningOfItsId) {
  const std::string id = ToHex(task_->id());
  for (const std::string& text : {id, id.substr(0, 4), std::string(task_->name())}) {
    const http::Response response = Get("/v1/tasks/" + text);
    ASSERT_EQ(response.status, 200) << text;
    EXPECT_EQ(Json::parse(*response.body)["task"], id);
  }
  EXPECT_EQ(Get("/v1/tasks/no such task").status, 404);
  // A token for other tasks learns nothing of the names of this one.
  EXPECT_EQ(Get("/v1/tasks/" + std::string(task_->name()), {}, {std::string(kRoleAnalyst)},
                {std::string(64, '1')})
                .status,
            404);
}

TEST_F(ApiTest, ARefusedQuestionHoldsNothing) {
  EXPECT_EQ(Get(Of("/answer")).status, 409);  // nothing was counted
  EXPECT_EQ(Get(Of("/answer"), {{"top", "x"}}).status, 400);
  EXPECT_EQ(budget_.calls(), 0);
}

TEST_F(ApiTest, StatusHasTheMinuteOfABatch) {
  Count();
  const Json status = Json::parse(*Get(Of("/status")).body);
  ASSERT_EQ(status["batches"].size(), 1u);
  EXPECT_EQ(status["batches"][0]["time"],
            absl::FormatTime("%Y-%m-%dT%H:%M:00Z", clock_.Now(), absl::UTCTimeZone()));
  EXPECT_EQ(status["batches"][0]["state"], "counted");
  EXPECT_EQ(status["counted_batches"], 1);
}

TEST_F(ApiTest, SaysWhetherItIsReady) {
  EXPECT_EQ(*Get("/readyz", {}, {}).body, "ready\n");
  ready_ = absl::UnavailableError("stopping");
  const http::Response response = Get("/readyz", {}, {});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(*response.body, "stopping\n");
  EXPECT_EQ(Get("/healthz", {}, {}).status, 200);
}

TEST_F(ApiTest, AsksForTheRoleOfEachPath) {
  for (const std::string& path :
       {std::string("/v1/tasks"), Of(""), Of("/answer"), Of("/status"), std::string("/v1/plan")}) {
    EXPECT_EQ(Get(path, {}, {}).status, 401) << path;
    EXPECT_EQ(Get(path, {}, {std::string(kRoleMonitor)}).status, 403) << path;
  }
  EXPECT_EQ(Get("/metrics").status, 403);
  EXPECT_EQ(Get("/metrics", {}, {std::string(kRoleMonitor)}).status, 200);
  EXPECT_EQ(Get("/v1/nothing").status, 404);
  EXPECT_EQ(Get("/", {}, {}).status, 404);
}

TEST_F(ApiTest, AnswersATokenForTasksAboutThoseOnly) {
  Count();
  const std::vector<std::string> analyst = {std::string(kRoleAnalyst)};
  const std::string own = ToHex(task_->id()), other(64, 'a');
  for (const char* what : {"", "/answer", "/status"}) {
    EXPECT_EQ(Get(Of(what), {}, analyst, {other, own}).status, 200) << what;
    EXPECT_EQ(Get(Of(what), {}, analyst, {other}).status, 403) << what;
    // Whether there is such a task is not said.
    EXPECT_EQ(Get("/v1/tasks/" + other + what, {}, analyst, {own}).status, 403) << what;
  }
  const auto listed = [&](const std::vector<std::string>& tasks) {
    return Json::parse(*Get("/v1/tasks", {}, analyst, tasks).body)["tasks"].size();
  };
  EXPECT_EQ(listed({}), 1u);
  EXPECT_EQ(listed({own}), 1u);
  EXPECT_EQ(listed({other}), 0u);
}

TEST_F(ApiTest, ALongListOfTasksHoldsATicketUntilItIsDropped) {
  constexpr int kTasks = 300;
  for (int i = 1; i < kTasks; ++i) {
    const auto change = [i](v1::Task* task) { task->set_name(absl::StrCat("task ", i)); };
    ASSERT_TRUE(catalog_->Add(MakeTestTask(change)).ok());
  }
  {
    const http::Response list = Get("/v1/tasks");
    ASSERT_EQ(list.status, 200) << *list.body;
    EXPECT_EQ(Json::parse(*list.body)["tasks"].size(), size_t{kTasks});
    // A task's text is smaller than what it is counted with.
    EXPECT_LT(list.body->size(), static_cast<size_t>(kTasks * kTaskOverheadBytes));
    EXPECT_EQ(budget_.calls(), 1);
    EXPECT_LE(budget_.bytes(), static_cast<int64_t>(list.body->capacity()));
  }
  EXPECT_EQ(budget_.calls(), 0);
}

TEST_F(ApiTest, CountsItsAnswersAndThoseThatItRefuses) {
  Get("/healthz", {}, {});
  Get(Of("/answer"), {{"top", "x"}});
  Get(Of("/answer"), {}, {});
  EXPECT_THAT(
      metrics_.Text(),
      testing::AllOf(
          testing::HasSubstr("tombola_collector_answers_refused_total{cause=\"malformed\"} 1"),
          testing::HasSubstr("{path=\"/v1/tasks/{id}/answer\",status=\"401\"} 1")));
  EXPECT_THAT(*Get("/metrics", {}, {std::string(kRoleMonitor)}).body,
              testing::HasSubstr(
                  "tombola_collector_http_answers_total{path=\"/healthz\",status=\"200\"} 1"));
}

}  // namespace
}  // namespace tombola::collector
