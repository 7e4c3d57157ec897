#include "common/rpc/answer_desk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/rpc/test_server.h"
#include "tests/support/fake_clock.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::rpc {
namespace {

// A caller may ask if it names a task.
class DeskService final : public v1::Shuffler::CallbackService {
 public:
  explicit DeskService(const AnswerDesk* desk) : desk_(desk) {}

  int worked() const { return worked_; }
  // Of a call that has not been answered.
  bool LastIsCancelled() const { return last_.load()->IsCancelled(); }

  grpc::ServerUnaryReactor* GetTask(grpc::CallbackServerContext* context,
                                    const v1::GetTaskRequest* request,
                                    v1::GetTaskResponse* response) override {
    last_ = context;
    const absl::Status allowed =
        request->task_id().empty() ? absl::PermissionDeniedError("no") : absl::OkStatus();
    const auto work = [this, request, response]() -> absl::Status {
      ++worked_;
      if (request->task_id() == "unknown") return absl::NotFoundError("no such task");
      response->set_task(request->task_id());
      return absl::OkStatus();
    };
    return desk_->Answer(context, allowed, work, request->task_id() == "large" ? 60 : 0);
  }

 private:
  const AnswerDesk* const desk_;
  std::atomic<int> worked_ = 0;
  std::atomic<grpc::CallbackServerContext*> last_ = nullptr;
};

class AnswerDeskTest : public ::testing::Test {
 protected:
  ~AnswerDeskTest() override { Release(); }

  // The pool's one thread does something else until Release.
  void Occupy() {
    pool_.Add([this](int) { released_.wait(); });
  }
  void Release() {
    if (!std::exchange(is_released_, true)) release_.set_value();
  }

  grpc::Status Ask(const std::string& task) {
    v1::GetTaskRequest request;
    request.set_task_id(task);
    grpc::ClientContext context;
    v1::GetTaskResponse response;
    const grpc::Status status = stub_->GetTask(&context, request, &response);
    if (status.ok()) {
      EXPECT_EQ(response.task(), task);
    }
    return status;
  }

  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  bool is_released_ = false;
  const std::shared_ptr<FakeSteadyClock> clock_ = std::make_shared<FakeSteadyClock>();
  FairShare share_{{.calls = 4, .bytes = 100, .retry = absl::Seconds(1)}};
  CallWatch watch_{absl::Seconds(60), absl::Milliseconds(1), clock_};
  WorkPool pool_{1};
  AnswerDesk desk_{{.share = &share_, .watch = &watch_, .pool = &pool_}};
  DeskService service_{&desk_};
  const TestServer server_{&service_};
  const std::unique_ptr<v1::Shuffler::Stub> stub_ = v1::Shuffler::NewStub(server_.Connect());
};

TEST_F(AnswerDeskTest, AnswersWithWhatTheWorkSays) {
  EXPECT_TRUE(Ask("task").ok());
  EXPECT_EQ(Ask("unknown").error_code(), grpc::NOT_FOUND);
}

TEST_F(AnswerDeskTest, WhoMayNotAskTakesNeitherATicketNorAThread) {
  Occupy();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Ask("").error_code(), grpc::PERMISSION_DENIED);
  EXPECT_EQ(share_.calls(), 0);
}

TEST_F(AnswerDeskTest, CallsBeyondTheShareAreAskedToWaitAndTheOthersAreAnswered) {
  Occupy();
  std::vector<std::future<grpc::Status>> waiting;
  for (int i = 1; i <= 2; ++i) {  // half of the share
    waiting.push_back(std::async(std::launch::async, [this] { return Ask("task"); }));
    while (share_.calls() < i) std::this_thread::yield();
  }
  EXPECT_EQ(Ask("task").error_code(), grpc::RESOURCE_EXHAUSTED);
  Release();
  for (auto& call : waiting) EXPECT_TRUE(call.get().ok());
  while (share_.calls() > 0) std::this_thread::yield();
  EXPECT_TRUE(Ask("task").ok());
}

TEST_F(AnswerDeskTest, ACallThatEndedInTheQueueIsNotWorkedOn) {
  Occupy();
  v1::GetTaskRequest request;
  request.set_task_id("task");
  grpc::ClientContext context;
  auto waiting = std::async(std::launch::async, [&] {
    v1::GetTaskResponse response;
    return stub_->GetTask(&context, request, &response);
  });
  while (share_.calls() < 1) std::this_thread::yield();
  context.TryCancel();
  EXPECT_EQ(waiting.get().error_code(), grpc::CANCELLED);
  while (!service_.LastIsCancelled()) std::this_thread::yield();
  Release();
  while (share_.calls() > 0) std::this_thread::yield();
  EXPECT_EQ(service_.worked(), 0);
}

TEST_F(AnswerDeskTest, LargeAnswersAreBoundedByTheirBytes) {
  Occupy();
  auto waiting = std::async(std::launch::async, [this] { return Ask("large"); });
  while (share_.calls() < 1) std::this_thread::yield();
  EXPECT_EQ(share_.bytes(), 60);
  EXPECT_EQ(Ask("large").error_code(), grpc::RESOURCE_EXHAUSTED);
  Release();
  EXPECT_TRUE(waiting.get().ok());
  while (share_.calls() > 0) std::this_thread::yield();
  EXPECT_TRUE(Ask("large").ok());
}

}  // namespace
}  // namespace tombola::rpc
