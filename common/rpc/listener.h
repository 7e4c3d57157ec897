// The socket that takes connections, with a limit on them.
#ifndef TOMBOLA_COMMON_RPC_LISTENER_H_
#define TOMBOLA_COMMON_RPC_LISTENER_H_

#include <grpcpp/server_builder.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"

namespace tombola::rpc {

// gRPC 1.51 has no limit on connections, and its own listener ends for good, with the server still
// running, when a connection comes for which there is no file descriptor. This one takes
// connections and hands them to gRPC while they are below the limit, closes the rest at once, and
// goes on.
//
// The kernel gives a connection the lowest free descriptor, so a number at the limit means that as
// many are in use: no connection has to be counted. The limit is therefore on all descriptors of
// the process, its few files included, and never so high that none is left for those.
//
// One thread of its own. Not thread-safe.
class Listener {
 public:
  // Binds to host:port; port 0 takes a free one, [::] all addresses. InvalidArgument: not an
  // address. Unavailable: in use, or not this machine's.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const std::string& address,
                                                        int max_connections);
  // Takes no more connections.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // Once; until then connections wait.
  void Start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor);

 private:
  explicit Listener(int max_connections);
  absl::Status Bind(const std::string& host, const std::string& port);
  void Run();
  void Take(int listening);

  const int highest_;         // descriptor that a connection may have, and one more
  std::vector<int> sockets_;  // one an address of the host
  int wake_ = -1;
  int port_ = 0;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::thread thread_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_LISTENER_H_
