#include "collector/monitor/readiness.h"

#include <utility>

namespace tombola::collector {
namespace {

constexpr absl::Duration kHangs = absl::Seconds(30);

}  // namespace

bool Readiness::SawStores(const absl::Status& state) {
  const absl::Duration now = clock_->Now();
  MutexLock lock(mutex_);
  looked_ = now;
  return !std::exchange(stores_failed_, !state.ok()) && !state.ok();
}

bool Readiness::SawKeys(const absl::Status& tended) {
  std::string failure = tended.ok() ? "" : tended.ToString();
  MutexLock lock(mutex_);
  const bool news = failure != keys_failure_ && !failure.empty();
  keys_failure_ = std::move(failure);
  return news;
}

void Readiness::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
}

absl::Status Readiness::Ready() const {
  const absl::Duration now = clock_->Now();
  MutexLock lock(mutex_);
  if (stopping_) return absl::UnavailableError("the collector is stopping");
  if (stores_failed_) {
    return absl::UnavailableError("a database failed: database_failed in the log says which");
  }
  if (now - looked_ > kHangs) {
    return absl::UnavailableError(
        "the databases have not answered for half a minute: see the disk");
  }
  if (keys_failure_.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      "the HPKE keys cannot be tended: keys_not_tended in the log says why");
}

}  // namespace tombola::collector
