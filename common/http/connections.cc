#include "common/http/connections.h"

#include <utility>

#include "absl/time/clock.h"

namespace tombola::http {

bool Connections::MakeRoom() {
  std::shared_ptr<Connection> silent;
  {
    MutexLock lock(mutex_);
    if (draining_) return false;
    const size_t limit = static_cast<size_t>(limit_);
    if (open_.size() - ending_.size() < limit) return true;
    // Those that end take a moment: never more of them than there may be connections.
    if (ending_.size() >= limit) return false;
    auto since = std::chrono::steady_clock::time_point::max();
    for (const auto& [key, connection] : open_) {
      const auto own = ending_.contains(key) ? std::nullopt : connection->SilentStrangerSince();
      if (own.has_value() && *own < since) {
        since = *own;
        silent = connection;
      }
    }
    if (silent == nullptr) return false;
    ending_.insert(silent.get());
  }
  silent->Abort();
  return true;
}

bool Connections::Add(const std::shared_ptr<Connection>& connection) {
  MutexLock lock(mutex_);
  if (draining_) return false;
  open_.emplace(connection.get(), connection);
  return true;
}

void Connections::Remove(const Connection* connection) {
  std::shared_ptr<Connection> last;  // destroyed without the lock
  MutexLock lock(mutex_);
  const auto found = open_.find(connection);
  if (found == open_.end()) return;
  last = std::move(found->second);
  ending_.erase(connection);
  open_.erase(found);
  if (open_.empty()) removed_.NotifyAll();
}

std::vector<std::shared_ptr<Connection>> Connections::All() {
  std::vector<std::shared_ptr<Connection>> all;
  MutexLock lock(mutex_);
  for (const auto& [key, connection] : open_) all.push_back(connection);
  return all;
}

void Connections::Drain() {
  {
    MutexLock lock(mutex_);
    draining_ = true;
  }
  for (const auto& connection : All()) connection->Drain();
}

void Connections::Abort() {
  for (const auto& connection : All()) connection->Abort();
}

void Connections::Wait(absl::Duration patience) {
  const absl::Time end = absl::Now() + patience;
  MutexLock lock(mutex_);
  while (!open_.empty()) {
    const absl::Duration left = end - absl::Now();
    if (left <= absl::ZeroDuration()) return;
    removed_.WaitFor(mutex_, absl::ToChronoNanoseconds(left));
  }
}

}  // namespace tombola::http
