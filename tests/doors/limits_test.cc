// The daemons' own limits, over the wire.
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "collector/daemon.h"
#include "common/base/retry_after.h"
#include "common/rpc/server.h"
#include "common/rpc/status.h"
#include "shuffler/daemon.h"
#include "tests/support/deployment.h"
#include "tests/support/eventually.h"
#include "tombola/v1/collector.grpc.pb.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola {
namespace {

TEST(CollectorLimits, AQuestionLargerThanTheBudgetIsRefusedAndASmallerOneIsNot) {
  const TestDeployment deployment(
      {.collector = {.max_answers_bytes = (int64_t{1} << 16) + 64 * 20 + 240 * 10}});
  const v1::TaskInfo info = deployment.CreateTask(deployment.TaskRequest());
  const auto analyst =
      v1::CollectorQuery::NewStub(deployment.Connect(deployment.query_address(), "analyst"));
  const auto ask = [&](uint64_t top) {
    v1::GetAnswerRequest request;
    request.set_task_id(info.task_id());
    request.set_confidence(0.95);
    request.set_postprocess(v1::POSTPROCESS_POP);
    request.mutable_histogram()->set_top(top);
    grpc::ClientContext context;
    v1::Answer answer;
    return rpc::FromGrpc(analyst->GetAnswer(&context, request, &answer));
  };
  const absl::Status all = ask(0);
  EXPECT_TRUE(absl::IsResourceExhausted(all)) << all;
  EXPECT_EQ(RetryAfter(all), std::nullopt);  // waiting would not help
  EXPECT_TRUE(absl::IsResourceExhausted(ask(11)));
  // Past the budget: nothing has been counted.
  EXPECT_TRUE(absl::IsFailedPrecondition(ask(10)));
}

// Without an age a connection that is never idle costs processor time for ever (Debian's gRPC
// parses endless headers), and without a grace one call keeps it.
TEST(ConnectionLimits, NoPortOfADaemonLetsAConnectionLiveForEver) {
  for (const auto& [port, limits] :
       {std::pair("the shuffler's", shuffler::PortLimits({})),
        std::pair("the collector's ingest", collector::IngestPortLimits({})),
        std::pair("the collector's query", collector::QueryPortLimits({}))}) {
    EXPECT_LE(limits.age, absl::Hours(1)) << port;
    EXPECT_LE(limits.age_grace, absl::Hours(24)) << port;
    EXPECT_LE(limits.idle, absl::Hours(1)) << port;
    EXPECT_LE(limits.metadata_bytes, 64 << 10) << port;
  }
}

TEST(ShufflerLimits, StrangersWhoAskForTasksThatThereAreNotMakeItAskNobody) {
  const TestDeployment deployment({.catalog_period = absl::Hours(1)});
  const auto admin =
      v1::CollectorAdmin::NewStub(deployment.Connect(deployment.query_address(), "administrator"));
  const auto catalog_calls = [&] {
    grpc::ClientContext context;
    v1::CollectorMetrics metrics;
    EXPECT_TRUE(admin->GetMetrics(&context, {}, &metrics).ok());
    const std::string name = "\ntombola_collector_calls_total{code=\"OK\",rpc=\"GetCatalog\"} ";
    const size_t at = metrics.text().find(name);
    return at == std::string::npos ? 0.0 : std::stod(metrics.text().substr(at + name.size()));
  };
  ASSERT_TRUE(Eventually([&] { return catalog_calls() >= 1; }));  // that of the start
  const auto device = v1::Shuffler::NewStub(deployment.Connect(deployment.shuffler_address(), ""));
  for (int i = 0; i < 500; ++i) {
    grpc::ClientContext context;
    v1::GetTaskRequest request;
    request.set_task_id(std::string(32, static_cast<char>(i)));
    v1::GetTaskResponse response;
    EXPECT_EQ(device->GetTask(&context, request, &response).error_code(), grpc::NOT_FOUND);
  }
  EXPECT_EQ(catalog_calls(), 1);
}

}  // namespace
}  // namespace tombola
