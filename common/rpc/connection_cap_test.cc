#include "common/rpc/connection_cap.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/retry_after.h"
#include "common/rpc/test_server.h"

namespace tombola::rpc {
namespace {

// Answers every call at once and keeps the seat that it got, or what it got instead.
class SeatedService final : public grpc::CallbackGenericService {
 public:
  explicit SeatedService(ConnectionCap* cap) : cap_(cap) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    class Answered final : public grpc::ServerGenericBidiReactor {
     public:
      Answered() { Finish(grpc::Status::OK); }
      void OnDone() override { delete this; }
    };
    {
      MutexLock lock(mutex_);
      seats_.push_back(cap_->Enter(*context));
    }
    return new Answered;
  }
  std::vector<absl::StatusOr<ConnectionCap::Seat>> Take() {
    MutexLock lock(mutex_);
    return std::move(seats_);
  }

 private:
  ConnectionCap* const cap_;
  Mutex mutex_;
  std::vector<absl::StatusOr<ConnectionCap::Seat>> seats_ ABSL_GUARDED_BY(mutex_);
};

TEST(ConnectionCap, EachConnectionHasItsOwnNumberOfCallsAndNothingIsKeptOfOneWithout) {
  ConnectionCap cap(2, absl::Seconds(3));
  SeatedService service(&cap);
  const TestServer server(&service);
  const auto call = [&](grpc::GenericStub& stub) {
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto reader = stub.PrepareUnaryCall(&context, "/x/y", grpc::ByteBuffer(), &queue);
    reader->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    reader->Finish(&answer, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
  };
  grpc::GenericStub one(server.Connect()), other(server.Connect());
  for (int i = 0; i < 3; ++i) call(one);
  for (int i = 0; i < 2; ++i) call(other);
  auto seats = service.Take();
  ASSERT_EQ(seats.size(), 5U);
  for (const int seated : {0, 1, 3, 4}) EXPECT_TRUE(seats[static_cast<size_t>(seated)].ok());
  EXPECT_EQ(RefusalCause(seats[2].status()), "connection");
  EXPECT_EQ(RetryAfter(seats[2].status()), absl::Seconds(3));
  EXPECT_EQ(cap.connections(), 2);
  seats.erase(seats.begin());  // a call of the first connection is over
  call(one);
  EXPECT_TRUE(service.Take().at(0).ok());
  seats.clear();
  EXPECT_EQ(cap.connections(), 0);
}

}  // namespace
}  // namespace tombola::rpc
