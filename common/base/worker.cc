#include "common/base/worker.h"

#include <pthread.h>

#include <utility>

namespace tombola {

Worker::Worker(const std::string& name, absl::Duration period, std::function<void()> step)
    : period_(period), step_(std::move(step)), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Worker::~Worker() { Stop(); }

void Worker::Nudge() {
  MutexLock lock(mutex_);
  nudged_ = true;
  wake_.NotifyOne();
}

void Worker::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::Run() {
  while (true) {
    step_();
    MutexLock lock(mutex_);
    while (!nudged_ && !stopping_) {
      if (!wake_.WaitFor(mutex_, absl::ToChronoNanoseconds(period_))) break;
    }
    if (stopping_) return;
    nudged_ = false;
  }
}

}  // namespace tombola
