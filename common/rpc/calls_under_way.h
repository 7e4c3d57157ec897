// How many calls a server is answering.
#ifndef TOMBOLA_COMMON_RPC_CALLS_UNDER_WAY_H_
#define TOMBOLA_COMMON_RPC_CALLS_UNDER_WAY_H_

#include <grpcpp/support/server_interceptor.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace tombola::rpc {

// Counts calls from their start until gRPC has let go of them, all services of a server alike.
// Thread-safe.
class CallsUnderWay {
 public:
  void Begin();
  void End();
  // Waits until there is none, or Abandon was called; whether there is none.
  bool WaitForNone();
  void Abandon();

 private:
  // One word, because every call passes here: how many, and kAbandoned.
  std::atomic<uint64_t> state_{0};
};

// For a server builder: each call is an object of its own, made when its message has come and
// destroyed at its end, which is also that of CallOfConnection (connection_calls.h).
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountCalls(
    std::shared_ptr<CallsUnderWay> calls);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CALLS_UNDER_WAY_H_
