#include "common/rpc/call_watch.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "common/rpc/test_server.h"
#include "tests/support/fake_clock.h"

namespace tombola::rpc {
namespace {

// Reads what comes for as long as it comes, and counts. Some messages make it say that it has
// answered, which it has not: so does a call whose answer nobody reads.
class Reading final : public grpc::ServerGenericBidiReactor {
 public:
  Reading(CallWatch* watch, grpc::CallbackServerContext* context, std::atomic<int>* messages)
      : place_(watch, context), messages_(messages) {
    StartRead(&message_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    grpc::Slice text;
    (void)message_.DumpToSingleSlice(&text);
    const std::string said(reinterpret_cast<const char*>(text.begin()), text.size());
    if (said == "small answer") {
      place_.Answered(kSmallAnswerBytes);
    } else if (said == "large answer") {
      place_.Answered(kSmallAnswerBytes + 1);
    } else {
      place_.Touch();
    }
    ++*messages_;
    StartRead(&message_);
  }
  void OnDone() override { delete this; }

 private:
  CallWatch::Place place_;
  std::atomic<int>* const messages_;
  grpc::ByteBuffer message_;
};

class ReadingService final : public grpc::CallbackGenericService {
 public:
  explicit ReadingService(CallWatch* watch) : watch_(watch) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Reading(watch_, context, &messages);
  }
  std::atomic<int> messages{0};

 private:
  CallWatch* const watch_;
};

// A server that reads, and calls to it.
class CallWatchTest : public ::testing::Test {
 protected:
  ~CallWatchTest() override { queue_.Shutdown(); }

  struct Call {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
    grpc::Status status;
  };
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    return ok;
  }
  std::unique_ptr<Call> Start() {
    auto call = std::make_unique<Call>();
    // Only so that a test that fails does not last for ever.
    call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    call->stream = stub_.PrepareCall(&call->context, "/x/y", &queue_);
    call->stream->StartCall(nullptr);
    EXPECT_TRUE(Next());
    return call;
  }
  // A message, and until the server has read it.
  void Send(Call& call, const char* text) {
    const int before = service_.messages;
    const grpc::Slice slice(text);
    call.stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    EXPECT_TRUE(Next());
    while (service_.messages == before) std::this_thread::yield();
  }
  // Until the server ends the call: its code.
  grpc::StatusCode End(Call& call) {
    call.stream->Finish(&call.status, nullptr);
    Next();
    return call.status.error_code();
  }

  const std::shared_ptr<FakeSteadyClock> clock_ = std::make_shared<FakeSteadyClock>();
  CallWatch watch_{
      absl::Seconds(60), absl::Milliseconds(1), clock_, {.patience = absl::Seconds(5), .most = 2}};
  ReadingService service_{&watch_};
  const TestServer server_{&service_};
  grpc::GenericStub stub_{server_.Connect()};
  grpc::CompletionQueue queue_;
};

TEST_F(CallWatchTest, EndsACallThatStallsAndNoneThatGoesOn) {
  const auto call = Start();
  // Longer than the patience in all, but never without a message for so long.
  for (int i = 1; i <= 4; ++i) {
    Send(*call, "a message");
    clock_->Advance(absl::Seconds(50));
  }
  call->stream->Finish(&call->status, nullptr);
  clock_->Advance(absl::Seconds(10));
  Next();
  EXPECT_EQ(call->status.error_code(), grpc::StatusCode::CANCELLED) << call->status.error_message();
}

TEST_F(CallWatchTest, ASmallAnswerThatNobodyReadsHasLittleTimeAndALargeOneThatOfAnyCall) {
  const auto waiting = Start(), large = Start(), small = Start();
  Send(*waiting, "a message");
  Send(*large, "large answer");
  Send(*small, "small answer");
  clock_->Advance(absl::Seconds(5));
  EXPECT_EQ(End(*small), grpc::StatusCode::CANCELLED);
  // The others have been seen by the same look, and go on.
  Send(*waiting, "a message");
  Send(*large, "large answer");
  clock_->Advance(absl::Seconds(60));
  EXPECT_EQ(End(*waiting), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(End(*large), grpc::StatusCode::CANCELLED);
}

TEST_F(CallWatchTest, OfTooManyAnswersThatNobodyReadsTheOldestGoesAtOnce) {
  const auto waiting = Start(), first = Start(), second = Start(), third = Start();
  Send(*waiting, "a message");
  Send(*first, "small answer");
  Send(*second, "small answer");
  Send(*third, "small answer");
  // No time has passed.
  EXPECT_EQ(End(*first), grpc::StatusCode::CANCELLED);
  Send(*second, "a message");
  Send(*third, "a message");
  clock_->Advance(absl::Seconds(60));
  for (Call* call : {waiting.get(), second.get(), third.get()}) {
    EXPECT_EQ(End(*call), grpc::StatusCode::CANCELLED);
  }
}

}  // namespace
}  // namespace tombola::rpc
