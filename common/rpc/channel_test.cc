#include "common/rpc/channel.h"

#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "common/rpc/test_server.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::rpc {
namespace {

constexpr size_t kInflated = 16 << 20;

// Answers with so many zeros, which are some kilobytes once compressed.
class Bomb final : public v1::Shuffler::Service {
 public:
  grpc::Status GetTask(grpc::ServerContext* context, const v1::GetTaskRequest*,
                       v1::GetTaskResponse* response) override {
    context->set_compression_algorithm(algorithm);
    response->set_task(std::string(kInflated, '\0'));
    return grpc::Status::OK;
  }
  grpc_compression_algorithm algorithm = GRPC_COMPRESS_NONE;
};

class ChannelTest : public ::testing::Test {
 protected:
  grpc::Status GetTask(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    v1::GetTaskResponse response;
    return v1::Shuffler::NewStub(channel)->GetTask(&context, {}, &response);
  }
  std::shared_ptr<grpc::Channel> Open(int max_message_bytes) {
    return OpenChannel(server_.address(), grpc::InsecureChannelCredentials(),
                       {.max_message_bytes = max_message_bytes});
  }

  Bomb bomb_;
  const TestServer server_{&bomb_};
};

TEST_F(ChannelTest, AnAnswerAsItIsIsTakenUpToTheLimit) {
  EXPECT_TRUE(GetTask(Open(kInflated + 100)).ok());
  EXPECT_EQ(GetTask(Open(kInflated)).error_code(), grpc::RESOURCE_EXHAUSTED);
}

TEST_F(ChannelTest, ACompressedAnswerIsRefusedWhateverItsSize) {
  for (const auto& [algorithm, name] :
       {std::pair(GRPC_COMPRESS_GZIP, "gzip"), std::pair(GRPC_COMPRESS_DEFLATE, "deflate")}) {
    bomb_.algorithm = algorithm;
    // It is one: a channel that is not ours inflates it.
    EXPECT_TRUE(GetTask(server_.Connect()).ok());
    const grpc::Status status = GetTask(Open(2 * kInflated));
    EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED) << status.error_message();
    EXPECT_TRUE(absl::StrContains(status.error_message(), name)) << status.error_message();
  }
}

}  // namespace
}  // namespace tombola::rpc
