// How many calls a connection has under way, from their headers on.
#ifndef TOMBOLA_COMMON_RPC_CONNECTION_CALLS_H_
#define TOMBOLA_COMMON_RPC_CONNECTION_CALLS_H_

#include <grpc/grpc_security.h>
#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_context.h>

#include <cstdint>
#include <memory>

namespace tombola::rpc {

// HTTP/2's limit on streams (ConnectionLimits) binds only a peer that has acknowledged it: gRPC
// 1.51 gives one that does not as many as it asks for, at 12 KiB each and outside its own limit on
// memory, until the process is out of it. So calls are counted here too, and refused when their
// headers come, before anything else is kept of them. Twice the limit on streams, because a call is
// over for its caller a little before it is for us.
//
// What is refused gets RESOURCE_EXHAUSTED. A call that its peer gives up between headers and
// message, or whose message gRPC itself refuses, is never heard of again and stays counted:
// connections on which this is used end after some minutes (ConnectionLimits::age).
inline constexpr int64_t kMostCallsOfConnection = 256;

// From now on, for every connection with these credentials.
void LimitCallsOfConnections(grpc_server_credentials* credentials);

// A call that was begun on such a connection; counted until this is destroyed. On others: nothing.
// Thread-safe.
class CallOfConnection {
 public:
  // While the call lives.
  explicit CallOfConnection(const grpc::ServerContextBase& context);
  ~CallOfConnection();
  CallOfConnection(const CallOfConnection&) = delete;
  CallOfConnection& operator=(const CallOfConnection&) = delete;

 private:
  const std::shared_ptr<const grpc::AuthContext> connection_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CONNECTION_CALLS_H_
