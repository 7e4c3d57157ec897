// The connections that a server has. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_CONNECTIONS_H_
#define TOMBOLA_COMMON_HTTP_CONNECTIONS_H_

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/http/message.h"

namespace tombola::http {

// All but Start may be called from any thread; what they ask for is done soon on the server's.
class Connection {
 public:
  virtual ~Connection() = default;
  // Once, when the connection is among the Connections.
  virtual void Start() = 0;
  // The answer to the request under way.
  virtual void Answer(Response response) = 0;
  // Ends if no request is under way.
  virtual void Drain() = 0;
  virtual void Abort() = 0;
  // Since when the peer, one that has shown no role, has been waited for: to say something, or to
  // read more of its answer. None if it is the server's turn, or a role was shown. At once.
  virtual std::optional<std::chrono::steady_clock::time_point> StrangerAwaitedSince() const = 0;
};

enum class Room { kNone, kHealthOnly, kAny };

// Owns them while they are open. Thread-safe.
class Connections {
 public:
  Connections(int limit, int health_limit) : limit_(limit), health_limit_(health_limit) {}

  bool draining() const { return draining_; }
  // For what one more may be added, which may end another (ServerLimits).
  Room MakeRoom();
  // False if the server drains.
  bool Add(const std::shared_ptr<Connection>& connection, Room room);
  void Remove(const Connection* connection);
  // From now on none is added, and those that there are end after the request under way.
  void Drain();
  void Abort();
  // Until there is none, or `patience` is over.
  void Wait(absl::Duration patience);

 private:
  std::vector<std::shared_ptr<Connection>> All();
  // The stranger that has been waited for the longest; none if there is none.
  std::shared_ptr<Connection> LongestAwaited() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int limit_;
  const int health_limit_;
  Mutex mutex_;
  CondVar removed_;
  std::atomic<bool> draining_ = false;  // set under the lock, so that none is added afterwards
  absl::flat_hash_map<const Connection*, std::shared_ptr<Connection>> open_ ABSL_GUARDED_BY(mutex_);
  // Told to end, and not counted any more.
  absl::flat_hash_set<const Connection*> ending_ ABSL_GUARDED_BY(mutex_);
  // Those for health alone, which are not among the open ones; the oldest first.
  std::deque<std::shared_ptr<Connection>> health_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_CONNECTIONS_H_
