#include "common/rpc/server.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/mutex.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::rpc {
namespace {

// GetKeyList is answered when the test says so, once.
class Service final : public v1::Shuffler::CallbackService {
 public:
  ~Service() override {
    if (answering_.joinable()) answering_.join();
  }
  grpc::ServerUnaryReactor* GetKeyList(grpc::CallbackServerContext* context,
                                       const v1::GetKeyListRequest*,
                                       v1::SignedKeyList* keys) override {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    answering_ = std::thread([this, reactor, keys] {
      go_on.get_future().wait();
      keys->set_signature("signed");
      reactor->Finish(grpc::Status::OK);
    });
    entered.set_value();
    return reactor;
  }

  std::promise<void> entered;
  std::promise<void> go_on;

 private:
  std::thread answering_;
};

class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(const ConnectionLimits& limits = {}) {
    auto started =
        Server::Start({.address = "127.0.0.1:0",
                       .credentials = grpc::InsecureServerCredentials(),
                       .services = {&service_},
                       .limits = limits,
                       .answered = [this](absl::string_view method, absl::string_view code) {
                         MutexLock lock(mutex_);
                         answers_.push_back(absl::StrCat(method, " ", code));
                       }});
    TOMBOLA_CHECK(started.ok());
    server_ = std::make_unique<Server>(*std::move(started));
    stub_ = v1::Shuffler::NewStub(grpc::CreateChannel(absl::StrCat("127.0.0.1:", server_->port()),
                                                      grpc::InsecureChannelCredentials()));
  }

  // method and code of the answers so far
  std::vector<std::string> answers() {
    MutexLock lock(mutex_);
    return answers_;
  }

  Mutex mutex_;
  std::vector<std::string> answers_ ABSL_GUARDED_BY(mutex_);
  Service service_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<v1::Shuffler::Stub> stub_;
};

TEST_F(ServerTest, TellsHowCallsWereAnswered) {
  service_.go_on.set_value();
  {
    grpc::ClientContext context;
    v1::SignedKeyList keys;
    ASSERT_TRUE(stub_->GetKeyList(&context, {}, &keys).ok());
  }
  grpc::ClientContext context;
  v1::GetTaskResponse task;
  EXPECT_EQ(stub_->GetTask(&context, {}, &task).error_code(), grpc::UNIMPLEMENTED);
  EXPECT_EQ(answers(), (std::vector<std::string>{"GetKeyList OK", "GetTask UNIMPLEMENTED"}));
}

TEST_F(ServerTest, ACompressedMessageIsRefusedBeforeAnybodyLooksAtIt) {
  for (const auto& [algorithm, name] :
       {std::pair(GRPC_COMPRESS_GZIP, "gzip"), std::pair(GRPC_COMPRESS_DEFLATE, "deflate")}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::SubmitRequest request;
    request.set_sealed_reports(std::string(4 << 20, '\0'));
    v1::SubmitResponse response;
    const grpc::Status status = stub_->Submit(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED);
    // Not because there is no such method here.
    EXPECT_TRUE(absl::StrContains(status.error_message(), name)) << status.error_message();
  }
}

TEST(CodeName, KnowsEveryCodeAndNoOther) {
  EXPECT_EQ(CodeName(grpc::OK), "OK");
  EXPECT_EQ(CodeName(grpc::UNAUTHENTICATED), "UNAUTHENTICATED");
  EXPECT_EQ(CodeName(grpc::RESOURCE_EXHAUSTED), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(CodeName(grpc::UNAVAILABLE), "UNAVAILABLE");
  EXPECT_EQ(CodeName(static_cast<grpc::StatusCode>(99)), "UNKNOWN");
}

// A peer that has said hello as HTTP/2 wants it and looks at its connection no more: gRPC's own
// clients do so for up to five seconds when they are idle.
int SilentPeer(int port) {
  const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  TOMBOLA_CHECK(connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  const std::string hello("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
  TOMBOLA_CHECK(write(peer, hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()));
  char settings[9];
  TOMBOLA_CHECK(recv(peer, settings, sizeof(settings), MSG_WAITALL) == sizeof(settings));
  return peer;
}

TEST_F(ServerTest, AnIdleConnectionDoesNotDelayTheDrain) {
  const int peer = SilentPeer(server_->port());
  const absl::Time start = absl::Now();
  server_->Drain(absl::Seconds(15));
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
  close(peer);
}

TEST_F(ServerTest, ACallUnderWayIsAnsweredAndThenTheDrainIsOver) {
  grpc::Status status;
  v1::SignedKeyList keys;
  std::thread caller([&] {
    grpc::ClientContext context;
    status = stub_->GetKeyList(&context, {}, &keys);
  });
  service_.entered.get_future().wait();
  std::promise<void> drained;
  std::future<void> over = drained.get_future();
  std::thread drainer([&] {
    server_->Drain(absl::Seconds(60));
    drained.set_value();
  });
  EXPECT_EQ(over.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout)
      << "the drain waits for the call";
  service_.go_on.set_value();
  caller.join();
  drainer.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(keys.signature(), "signed");
}

TEST_F(ServerTest, ACallThatDoesNotEndIsCancelledAtTheDeadline) {
  grpc::Status status;
  std::thread caller([&] {
    grpc::ClientContext context;
    v1::SignedKeyList keys;
    status = stub_->GetKeyList(&context, {}, &keys);
  });
  service_.entered.get_future().wait();
  std::thread drainer([&] { server_->Drain(absl::Milliseconds(100)); });
  caller.join();  // cancelled while its handler still runs
  EXPECT_FALSE(status.ok());
  service_.go_on.set_value();
  drainer.join();
}

class ShortLivedConnections : public ServerTest {
 protected:
  ShortLivedConnections()
      : ServerTest({.age = absl::Milliseconds(100), .age_grace = absl::Milliseconds(100)}) {}
};

// A peer with a call that nobody answers is told to go and then cut off, call and all.
TEST_F(ShortLivedConnections, AnOpenCallDoesNotKeepAConnection) {
  grpc::ClientContext context;
  // Only so that the test ends where the connection does not.
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::SignedKeyList keys;
  const grpc::Status status = stub_->GetKeyList(&context, {}, &keys);
  EXPECT_EQ(status.error_code(), grpc::UNAVAILABLE) << status.error_message();
  service_.go_on.set_value();
}

// Neither gRPC's default, 8 KiB, nor near it.
constexpr int kSmallMetadata = 1 << 10;

class SmallMetadata : public ServerTest {
 protected:
  SmallMetadata() : ServerTest({.metadata_bytes = kSmallMetadata}) {}

  grpc::Status CallWithMetadata(size_t bytes) {
    grpc::ClientContext context;
    context.AddMetadata("x-padding", std::string(bytes, 'a'));
    v1::GetTaskResponse task;
    return stub_->GetTask(&context, {}, &task);
  }
};

TEST_F(SmallMetadata, MoreThanTheLimitIsRefusedAndLessIsNot) {
  EXPECT_EQ(CallWithMetadata(kSmallMetadata / 4).error_code(), grpc::UNIMPLEMENTED)
      << "it came to the service, which has no such method";
  EXPECT_EQ(CallWithMetadata(2 * kSmallMetadata).error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(answers(), std::vector<std::string>{"GetTask UNIMPLEMENTED"}) << "no service saw it";
}

}  // namespace
}  // namespace tombola::rpc
