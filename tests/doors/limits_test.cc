// The collector's own limits, over the wire.
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "common/base/retry_after.h"
#include "common/rpc/status.h"
#include "tests/support/deployment.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola {
namespace {

// A delivery that is begun and never goes on.
class Stalled {
 public:
  explicit Stalled(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::CollectorIngest::NewStub(channel)) {
    // Only so that a test that fails does not last for ever.
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    writer_ = stub_->DeliverBatch(&context_, &receipt_);
  }
  // Blocks until the server ends it.
  absl::Status End() { return rpc::FromGrpc(writer_->Finish()); }

 private:
  std::unique_ptr<v1::CollectorIngest::Stub> stub_;
  grpc::ClientContext context_;
  v1::BatchReceipt receipt_;
  std::unique_ptr<grpc::ClientWriter<v1::BatchChunk>> writer_;
};

TEST(CollectorLimits, AStalledDeliveryIsCancelledAndMakesRoom) {
  const TestDeployment deployment(
      {.collector = {.max_deliveries = 1, .stream_patience = absl::Seconds(2)}});
  const auto channel = deployment.Connect(deployment.ingest_address(), "shuffler");
  // Which of the two is first is the server's to see.
  Stalled one(channel), other(channel);
  const absl::Status first = one.End(), second = other.End();
  const absl::Status& refused = absl::IsResourceExhausted(first) ? first : second;
  const absl::Status& cancelled = absl::IsResourceExhausted(first) ? second : first;
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << first << " " << second;
  EXPECT_EQ(RetryAfter(refused), absl::Seconds(1));
  EXPECT_TRUE(absl::IsCancelled(cancelled)) << cancelled;
  // There is room for the next: it is not refused but stalls in its turn. The caller may hear of
  // the end a moment before the place is free; the test's own time limit bounds this.
  absl::Status next = refused;
  while (absl::IsResourceExhausted(next)) next = Stalled(channel).End();
  EXPECT_TRUE(absl::IsCancelled(next)) << next;
}

TEST(CollectorLimits, AQuestionLargerThanTheBudgetIsRefusedAndASmallerOneIsNot) {
  const TestDeployment deployment(
      {.collector = {.max_answers_bytes = (int64_t{1} << 16) + 64 * 20 + 144 * 10}});
  const v1::TaskInfo info = deployment.CreateTask(deployment.TaskRequest());
  const auto analyst =
      v1::CollectorQuery::NewStub(deployment.Connect(deployment.query_address(), "analyst"));
  const auto ask = [&](uint64_t top) {
    v1::GetHistogramRequest request;
    request.set_task_id(info.task_id());
    request.set_confidence(0.95);
    request.set_postprocess(v1::POSTPROCESS_POP);
    request.set_top(top);
    grpc::ClientContext context;
    v1::Histogram histogram;
    return rpc::FromGrpc(analyst->GetHistogram(&context, request, &histogram));
  };
  const absl::Status all = ask(0);
  EXPECT_TRUE(absl::IsResourceExhausted(all)) << all;
  EXPECT_EQ(RetryAfter(all), std::nullopt);  // waiting would not help
  EXPECT_TRUE(absl::IsResourceExhausted(ask(11)));
  // Past the budget: nothing has been counted.
  EXPECT_TRUE(absl::IsFailedPrecondition(ask(10)));
}

}  // namespace
}  // namespace tombola
