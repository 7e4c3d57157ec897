// How many calls of a kind one connection may have under way.
#ifndef TOMBOLA_COMMON_RPC_CONNECTION_CAP_H_
#define TOMBOLA_COMMON_RPC_CONNECTION_CAP_H_

#include <grpcpp/server_context.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace tombola::rpc {

// Of calls that a device makes rarely, fewer than connection_calls.h allows of all. A connection is
// known by its peer's address and port, so that devices that share an address do not
// share a cap; they are kept in memory and only while the connection has a call under way.
//
// Thread-safe. Outlives its seats.
class ConnectionCap {
 public:
  // What a call holds; given back when it is destroyed.
  class Seat {
   public:
    Seat() = default;
    Seat(Seat&& other) noexcept { *this = std::move(other); }
    Seat& operator=(Seat&& other) noexcept {
      std::swap(cap_, other.cap_);
      std::swap(peer_, other.peer_);
      return *this;
    }
    ~Seat() {
      if (cap_ != nullptr) cap_->Leave(peer_);
    }

   private:
    friend class ConnectionCap;
    Seat(ConnectionCap* cap, std::string peer) : cap_(cap), peer_(std::move(peer)) {}

    ConnectionCap* cap_ = nullptr;
    std::string peer_;
  };

  // `retry`: what a refused caller is asked to wait.
  ConnectionCap(int64_t calls, absl::Duration retry) : calls_(calls), retry_(retry) {}

  // ResourceExhausted, with a wait and the cause `connection`: it has its number of calls.
  absl::StatusOr<Seat> Enter(const grpc::ServerContextBase& context);

  // With a call under way.
  int64_t connections() const;

 private:
  void Leave(const std::string& peer);

  const int64_t calls_;
  const absl::Duration retry_;
  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, int64_t> peers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CONNECTION_CAP_H_
