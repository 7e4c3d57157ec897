#include "common/rpc/call_watch.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/fake_clock.h"

namespace tombola::rpc {
namespace {

// Reads what comes for as long as it comes, and counts.
class Reading final : public grpc::ServerGenericBidiReactor {
 public:
  Reading(CallWatch* watch, grpc::CallbackServerContext* context, std::atomic<int>* messages)
      : place_(watch, context), messages_(messages) {
    StartRead(&message_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    place_.Touch();
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

TEST(CallWatch, EndsACallThatStallsAndNoneThatGoesOn) {
  const auto clock = std::make_shared<FakeClock>(absl::FromUnixSeconds(1'800'000'000));
  CallWatch watch(absl::Seconds(60), absl::Milliseconds(1), clock);
  ReadingService service(&watch);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const auto server = builder.BuildAndStart();
  grpc::GenericStub stub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::CompletionQueue queue;
  const auto next = [&] {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    return ok;
  };
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  const auto call = stub.PrepareCall(&context, "/x/y", &queue);
  call->StartCall(nullptr);
  ASSERT_TRUE(next());
  const grpc::Slice slice("a message");
  // Longer than the patience in all, but never without a message for so long.
  for (int i = 1; i <= 4; ++i) {
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    ASSERT_TRUE(next());
    while (service.messages < i) std::this_thread::yield();
    clock->Advance(absl::Seconds(50));
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  clock->Advance(absl::Seconds(10));
  next();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED) << status.error_message();
  queue.Shutdown();
  server->Shutdown();
}

}  // namespace
}  // namespace tombola::rpc
