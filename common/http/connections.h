// The connections that a server has. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_CONNECTIONS_H_
#define TOMBOLA_COMMON_HTTP_CONNECTIONS_H_

#include <atomic>
#include <chrono>
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
  // Since when nothing has been under way, of a peer that has shown no role; none if something is,
  // or it has. At once.
  virtual std::optional<std::chrono::steady_clock::time_point> SilentStrangerSince() const = 0;
};

// Owns them while they are open. Thread-safe.
class Connections {
 public:
  explicit Connections(int limit) : limit_(limit) {}

  bool draining() const { return draining_; }
  // Whether one more may be added, which may end another (ServerLimits).
  bool MakeRoom();
  // False if the server drains.
  bool Add(const std::shared_ptr<Connection>& connection);
  void Remove(const Connection* connection);
  // From now on none is added, and those that there are end after the request under way.
  void Drain();
  void Abort();
  // Until there is none, or `patience` is over.
  void Wait(absl::Duration patience);

 private:
  std::vector<std::shared_ptr<Connection>> All();

  const int limit_;
  Mutex mutex_;
  CondVar removed_;
  std::atomic<bool> draining_ = false;  // set under the lock, so that none is added afterwards
  absl::flat_hash_map<const Connection*, std::shared_ptr<Connection>> open_ ABSL_GUARDED_BY(mutex_);
  // Told to end, and not counted any more.
  absl::flat_hash_set<const Connection*> ending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_CONNECTIONS_H_
