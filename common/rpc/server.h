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
#include "common/rpc/call_codes.h"
#include "common/rpc/calls_under_way.h"
#include "common/rpc/listener.h"

namespace tombola::rpc {

// What peers can make a server hold. gRPC applies these before any of our code sees a call.
struct ConnectionLimits {
  // gRPC's own memory: connections, buffers, messages that are being received. Under pressure it
  // takes less from each peer, then drops idle connections, then calls.
  int64_t memory_bytes = int64_t{256} << 20;
  int connections = 10000;                       // further ones are closed at once, see listener.h
  int streams_per_connection = 128;              // further calls wait at the peer
  int metadata_bytes = 8 << 10;                  // of one call; more: RESOURCE_EXHAUSTED
  absl::Duration handshake = absl::Seconds(10);  // else the connection is closed
  absl::Duration idle = absl::Minutes(5);        // a connection without a call
  absl::Duration age = absl::Minutes(30);        // then the peer is asked to reconnect
  absl::Duration age_grace = absl::Seconds(60);  // for the calls under way, then they end too
  absl::Duration keepalive = absl::Seconds(30);  // of silence, then a ping
  absl::Duration keepalive_timeout = absl::Seconds(20);  // without an answer: closed
};

struct ServerOptions {
  std::string address;  // host:port; port 0 takes a free one
  std::shared_ptr<grpc::ServerCredentials> credentials;
  // Outlive the server. All their methods are callbacks: a handler that blocks would hold one of
  // the few threads that strangers share.
  std::vector<grpc::Service*> services;
  int max_message_bytes = 8 << 20;  // a larger request gets RESOURCE_EXHAUSTED
  ConnectionLimits limits;
  Answered answered = {};  // told of every answer; absent: nobody is
};

// A server that takes calls, with gRPC's health service beside the given ones.
class Server {
 public:
  // InvalidArgument: not an address. Unavailable: it cannot be listened on.
  static absl::StatusOr<Server> Start(const ServerOptions& options);

  int port() const { return port_; }
  // Takes no new calls, lets those under way end until the deadline, then cancels them. Connections
  // without a call are closed at once.
  void Drain(absl::Duration patience);

 private:
  Server(std::shared_ptr<grpc::ServerCredentials> credentials, std::shared_ptr<CallsUnderWay> calls,
         std::unique_ptr<grpc::Server> server, std::unique_ptr<Listener> listener)
      : credentials_(std::move(credentials)),
        calls_(std::move(calls)),
        server_(std::move(server)),
        listener_(std::move(listener)),
        port_(listener_->port()) {}

  std::shared_ptr<grpc::ServerCredentials> credentials_;  // outlives the server, which asks it
  std::shared_ptr<CallsUnderWay> calls_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listener> listener_;  // none once drained
  int port_;
};

// What every main does first: ignores SIGPIPE, silences the logs of Protobuf and, but for errors,
// of gRPC, turns Abseil's deadlock detection off, which costs more than the locks it watches, and
// takes as many file descriptors as the system allows.
void PrepareProcess();
// Blocks SIGTERM and SIGINT in this thread and those it starts: call it before any other exists.
void BlockTerminationSignals();

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_SERVER_H_
