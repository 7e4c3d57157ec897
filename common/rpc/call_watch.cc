#include "common/rpc/call_watch.h"

#include <utility>
#include <vector>

namespace tombola::rpc {

CallWatch::Place::Place(CallWatch* watch, grpc::CallbackServerContext* context) : watch_(watch) {
  const Watched watched = {context->c_call(), watch_->clock_->Now()};
  MutexLock lock(watch_->mutex_);
  at_ = watch_->calls_.insert(watch_->calls_.end(), watched);
}

CallWatch::Place::~Place() {
  MutexLock lock(watch_->mutex_);
  watch_->calls_.erase(at_);
}

void CallWatch::Place::Touch() {
  const absl::Time now = watch_->clock_->Now();
  MutexLock lock(watch_->mutex_);
  at_->touched = now;
  watch_->calls_.splice(watch_->calls_.end(), watch_->calls_, at_);
}

CallWatch::CallWatch(absl::Duration patience, absl::Duration period,
                     std::shared_ptr<const Clock> clock)
    : patience_(patience),
      clock_(std::move(clock)),
      worker_("call-watch", period, [this] { Step(); }) {}

void CallWatch::Step() {
  const absl::Time bound = clock_->Now() - patience_;
  // Cancelling may end a call in this thread, and that takes the lock: so it happens without, and
  // a reference keeps the call alive that long.
  std::vector<grpc_call*> stalled;
  {
    MutexLock lock(mutex_);
    for (auto it = calls_.begin(); it != calls_.end() && it->touched <= bound; ++it) {
      grpc_call_ref(it->call);
      stalled.push_back(it->call);
    }
  }
  for (grpc_call* const call : stalled) {
    grpc_call_cancel(call, nullptr);
    grpc_call_unref(call);
  }
}

}  // namespace tombola::rpc
