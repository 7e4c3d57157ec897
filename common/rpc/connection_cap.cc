#include "common/rpc/connection_cap.h"

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"

namespace tombola::rpc {

absl::StatusOr<ConnectionCap::Seat> ConnectionCap::Enter(const grpc::ServerContextBase& context) {
  std::string peer = context.peer();
  MutexLock lock(mutex_);
  int64_t& calls = peers_[peer];
  if (calls >= calls_) {
    return Refusal("connection",
                   absl::StrCat("busy: this connection has ", calls_, " calls under way"), retry_);
  }
  ++calls;
  return Seat(this, std::move(peer));
}

void ConnectionCap::Leave(const std::string& peer) {
  MutexLock lock(mutex_);
  const auto found = peers_.find(peer);
  if (--found->second == 0) peers_.erase(found);
}

int64_t ConnectionCap::connections() const {
  MutexLock lock(mutex_);
  return static_cast<int64_t>(peers_.size());
}

}  // namespace tombola::rpc
