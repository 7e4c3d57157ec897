#include "common/http/connections.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"

namespace tombola::http {

std::shared_ptr<Connection> Connections::LongestAwaited() const {
  std::shared_ptr<Connection> longest;
  auto since = std::chrono::steady_clock::time_point::max();
  for (const auto& [key, connection] : open_) {
    const auto own = ending_.contains(key) ? std::nullopt : connection->StrangerAwaitedSince();
    if (own.has_value() && *own < since) {
      since = *own;
      longest = connection;
    }
  }
  return longest;
}

Room Connections::MakeRoom() {
  std::shared_ptr<Connection> leaving;
  Room room = Room::kAny;
  {
    MutexLock lock(mutex_);
    if (draining_) return Room::kNone;
    const size_t limit = static_cast<size_t>(limit_);
    if (open_.size() - ending_.size() < limit) return Room::kAny;
    // Those that end take a moment: never more of them than there may be connections.
    if (ending_.size() < limit) leaving = LongestAwaited();
    if (leaving != nullptr) {
      ending_.insert(leaving.get());
    } else {
      room = Room::kHealthOnly;
      if (health_.size() >= static_cast<size_t>(health_limit_)) {
        if (health_.empty()) return Room::kNone;
        leaving = std::move(health_.front());
        health_.pop_front();
      }
    }
  }
  if (leaving != nullptr) leaving->Abort();
  return room;
}

bool Connections::Add(const std::shared_ptr<Connection>& connection, Room room) {
  MutexLock lock(mutex_);
  if (draining_) return false;
  if (room == Room::kHealthOnly) {
    health_.push_back(connection);
  } else {
    open_.emplace(connection.get(), connection);
  }
  return true;
}

void Connections::Remove(const Connection* connection) {
  std::shared_ptr<Connection> last;  // destroyed without the lock
  MutexLock lock(mutex_);
  const auto health = std::find_if(health_.begin(), health_.end(), [connection](const auto& place) {
    return place.get() == connection;
  });
  if (health != health_.end()) {
    last = std::move(*health);
    health_.erase(health);
    if (open_.empty() && health_.empty()) removed_.NotifyAll();
    return;
  }
  const auto found = open_.find(connection);
  if (found == open_.end()) return;
  last = std::move(found->second);
  ending_.erase(connection);
  open_.erase(found);
  if (open_.empty() && health_.empty()) removed_.NotifyAll();
}

std::vector<std::shared_ptr<Connection>> Connections::All() {
  std::vector<std::shared_ptr<Connection>> all;
  MutexLock lock(mutex_);
  for (const auto& [key, connection] : open_) all.push_back(connection);
  all.insert(all.end(), health_.begin(), health_.end());
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
  while (!open_.empty() || !health_.empty()) {
    const absl::Duration left = end - absl::Now();
    if (left <= absl::ZeroDuration()) return;
    removed_.WaitFor(mutex_, absl::ToChronoNanoseconds(left));
  }
}

}  // namespace tombola::http
