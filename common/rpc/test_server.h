// gRPC's own server on loopback, for tests of what serves or calls.
#ifndef TOMBOLA_COMMON_RPC_TEST_SERVER_H_
#define TOMBOLA_COMMON_RPC_TEST_SERVER_H_

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include <memory>
#include <string>

namespace tombola::rpc {

// Without TLS and without limits. Ends with the test; the service outlives it.
class TestServer {
 public:
  explicit TestServer(grpc::Service* service) {
    builder_.RegisterService(service);
    Start();
  }
  explicit TestServer(grpc::CallbackGenericService* service) {
    builder_.RegisterCallbackGenericService(service);
    Start();
  }
  ~TestServer() { server_->Shutdown(); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // A connection of its own.
  std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(address(), grpc::InsecureChannelCredentials(), arguments);
  }

 private:
  void Start() {
    builder_.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    server_ = builder_.BuildAndStart();
  }

  grpc::ServerBuilder builder_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_TEST_SERVER_H_
