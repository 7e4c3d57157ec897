#include "common/rpc/call_watch.h"

#include <utility>
#include <vector>

namespace tombola::rpc {

CallWatch::Place::Place(CallWatch* watch, grpc::CallbackServerContext* context)
    : watch_(watch), call_(context->c_call()) {
  const absl::Time now = watch_->clock_->Now();
  MutexLock lock(watch_->mutex_);
  watch_->Append(this, now);
}

CallWatch::Place::~Place() {
  MutexLock lock(watch_->mutex_);
  watch_->Remove(this);
}

void CallWatch::Place::Touch() {
  const absl::Time now = watch_->clock_->Now();
  MutexLock lock(watch_->mutex_);
  watch_->Remove(this);
  watch_->Append(this, now);
}

void CallWatch::Append(Place* place, absl::Time now) {
  place->touched_ = now;
  place->before_ = last_;
  place->after_ = nullptr;
  (last_ == nullptr ? first_ : last_->after_) = place;
  last_ = place;
}

void CallWatch::Remove(Place* place) {
  (place->before_ == nullptr ? first_ : place->before_->after_) = place->after_;
  (place->after_ == nullptr ? last_ : place->after_->before_) = place->before_;
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
    for (Place* place = first_; place != nullptr && place->touched_ <= bound;
         place = place->after_) {
      grpc_call_ref(place->call_);
      stalled.push_back(place->call_);
    }
  }
  for (grpc_call* const call : stalled) {
    grpc_call_cancel(call, nullptr);
    grpc_call_unref(call);
  }
}

}  // namespace tombola::rpc
