#include "common/rpc/call_watch.h"

#include <utility>
#include <vector>

namespace tombola::rpc {
namespace {

// Cancelling may end a call in this thread, and that takes the watch's lock: so it happens without,
// and the reference that is given back here kept the call alive that long.
void Cancel(grpc_call* call) {
  grpc_call_cancel(call, nullptr);
  grpc_call_unref(call);
}

}  // namespace

CallWatch::Place::Place(CallWatch* watch, grpc::CallbackServerContext* context)
    : watch_(watch), call_(context->c_call()) {
  const absl::Duration now = watch_->clock_->Now();
  MutexLock lock(watch_->mutex_);
  watch_->Append(this, now);
}

CallWatch::Place::~Place() {
  MutexLock lock(watch_->mutex_);
  watch_->Remove(this);
}

void CallWatch::Place::Touch() {
  const absl::Duration now = watch_->clock_->Now();
  MutexLock lock(watch_->mutex_);
  watch_->Remove(this);
  watch_->Append(this, now);
}

void CallWatch::Place::Answered(int64_t bytes) {
  const absl::Duration now = watch_->clock_->Now();
  grpc_call* oldest = nullptr;
  {
    MutexLock lock(watch_->mutex_);
    watch_->Remove(this);
    unread_ = bytes <= kSmallAnswerBytes;
    watch_->Append(this, now);
    if (watch_->unread_.size > watch_->limits_.most) {
      oldest = watch_->unread_.first->call_;
      grpc_call_ref(oldest);
    }
  }
  if (oldest != nullptr) Cancel(oldest);
}

void CallWatch::Append(Place* place, absl::Duration now) {
  Row& row = RowOf(*place);
  place->touched_ = now;
  place->before_ = row.last;
  place->after_ = nullptr;
  (row.last == nullptr ? row.first : row.last->after_) = place;
  row.last = place;
  ++row.size;
}

void CallWatch::Remove(Place* place) {
  Row& row = RowOf(*place);
  (place->before_ == nullptr ? row.first : place->before_->after_) = place->after_;
  (place->after_ == nullptr ? row.last : place->after_->before_) = place->before_;
  --row.size;
}

CallWatch::CallWatch(absl::Duration patience, absl::Duration period,
                     std::shared_ptr<const SteadyClock> clock, UnreadAnswers unread)
    : patience_(patience),
      limits_(unread),
      clock_(std::move(clock)),
      worker_("call-watch", period, [this] { Step(); }) {}

void CallWatch::Step() {
  const absl::Duration now = clock_->Now();
  std::vector<grpc_call*> stalled;
  const auto collect = [&stalled](const Row& row, absl::Duration bound) {
    for (Place* place = row.first; place != nullptr && place->touched_ <= bound;
         place = place->after_) {
      grpc_call_ref(place->call_);
      stalled.push_back(place->call_);
    }
  };
  {
    MutexLock lock(mutex_);
    collect(under_way_, now - patience_);
    collect(unread_, now - limits_.patience);
  }
  for (grpc_call* const call : stalled) Cancel(call);
}

}  // namespace tombola::rpc
