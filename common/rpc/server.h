// A gRPC server as both daemons run it, and the signals that end it.
#ifndef TOMBOLA_COMMON_RPC_SERVER_H_
#define TOMBOLA_COMMON_RPC_SERVER_H_

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tombola::rpc {

struct ServerOptions {
  std::string address;  // host:port; port 0 takes a free one
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::vector<grpc::Service*> services;  // outlive the server
  int max_message_bytes = 8 << 20;       // a larger request gets RESOURCE_EXHAUSTED
};

// A server that takes calls, with gRPC's health and reflection services beside the given ones.
class Server {
 public:
  // Unavailable: the address cannot be listened on.
  static absl::StatusOr<Server> Start(const ServerOptions& options);

  int port() const { return port_; }
  // Takes no new calls, lets those under way end until the deadline, then cancels them.
  void Drain(absl::Duration patience);

 private:
  Server(std::unique_ptr<grpc::Server> server, int port)
      : server_(std::move(server)), port_(port) {}

  std::unique_ptr<grpc::Server> server_;
  int port_;
};

// What every main does first: ignores SIGPIPE, and turns Abseil's deadlock detection off, which
// costs more than the locks it watches.
void PrepareProcess();
// Blocks SIGTERM and SIGINT in this thread and those it starts: call it before any other exists.
void BlockTerminationSignals();
// Waits for one of them.
int WaitForTerminationSignal();

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_SERVER_H_
