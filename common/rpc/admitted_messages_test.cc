#include "common/rpc/admitted_messages.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "common/rpc/test_server.h"
#include "tests/support/fake_clock.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::rpc {
namespace {

using Messages = AdmittedMessages<v1::SubmitRequest, v1::SubmitResponse>;

// Admits calls and leaves them to the test.
class WaitingService final : public v1::Shuffler::CallbackService {
 public:
  WaitingService(FairShare* share, CallWatch* watch) : share_(share), watch_(watch) {
    SetMessageAllocatorFor_Submit(&allocator_);
  }
  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context, const v1::SubmitRequest*,
                                   v1::SubmitResponse*) override {
    Messages& messages = Messages::Of(context);
    grpc::ServerUnaryReactor* const reactor =
        messages.Admit(*share_->Enter(TaskId{}, 100), watch_, context);
    admitted = &messages;
    return reactor;
  }
  std::atomic<Messages*> admitted{nullptr};

 private:
  FairShare* const share_;
  CallWatch* const watch_;
  Messages::Allocator allocator_;
};

class AdmittedMessagesTest : public ::testing::Test {
 protected:
  // Sends a call and waits until it is admitted.
  std::future<grpc::Status> Send() {
    auto status = std::async(std::launch::async, [this] {
      grpc::ClientContext context;
      return stub_->Submit(&context, v1::SubmitRequest(), &response_);
    });
    while (service_.admitted == nullptr) std::this_thread::yield();
    return status;
  }
  void WaitUntilNothingIsHeld() {
    while (share_.calls() > 0) std::this_thread::yield();
    EXPECT_EQ(share_.bytes(), 0);
  }

  const std::shared_ptr<FakeSteadyClock> clock_ = std::make_shared<FakeSteadyClock>();
  FairShare share_{{.calls = 10, .bytes = 1000, .retry = absl::Seconds(1)}};
  CallWatch watch_{absl::Seconds(60), absl::Milliseconds(1), clock_};
  WaitingService service_{&share_, &watch_};
  const TestServer server_{&service_};
  const std::unique_ptr<v1::Shuffler::Stub> stub_ = v1::Shuffler::NewStub(server_.Connect());
  v1::SubmitResponse response_;
};

TEST_F(AdmittedMessagesTest, TheTicketIsHeldUntilTheAnswerIsFinished) {
  auto status = Send();
  EXPECT_EQ(share_.calls(), 1);
  EXPECT_EQ(share_.bytes(), 100);
  Messages* const messages = service_.admitted;
  messages->response()->add_outcomes(v1::OUTCOME_ACCEPTED);
  messages->Finish(grpc::Status::OK);
  EXPECT_TRUE(status.get().ok());
  EXPECT_EQ(response_.outcomes_size(), 1);
  WaitUntilNothingIsHeld();
}

TEST_F(AdmittedMessagesTest, AStalledCallIsCancelledAndItsTicketComesBackWithItsEnd) {
  auto status = Send();
  clock_->Advance(absl::Seconds(60));
  EXPECT_EQ(status.get().error_code(), grpc::StatusCode::CANCELLED);
  // The store may still use the request: nothing is given back before it is done with it.
  EXPECT_EQ(share_.calls(), 1);
  service_.admitted.load()->Finish(grpc::Status::OK);
  WaitUntilNothingIsHeld();
}

}  // namespace
}  // namespace tombola::rpc
