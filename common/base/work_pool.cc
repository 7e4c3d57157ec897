#include "common/base/work_pool.h"

#include <pthread.h>
#include <sys/resource.h>

#include <utility>

namespace tombola {

WorkPool::WorkPool(int threads, const char* name, int niceness) : niceness_(niceness) {
  threads_.reserve(static_cast<size_t>(threads));
  for (int worker = 0; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] { Run(worker); });
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

WorkPool::~WorkPool() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkPool::Add(Job job) {
  MutexLock lock(mutex_);
  jobs_.push_back(std::move(job));
  wake_.NotifyOne();
}

void WorkPool::Run(int worker) {
  // Of the calling thread alone, on Linux; a thread may always ask for less.
  if (niceness_ > 0) setpriority(PRIO_PROCESS, 0, niceness_);
  while (true) {
    Job job;
    {
      MutexLock lock(mutex_);
      while (jobs_.empty() && !stopping_) wake_.Wait(mutex_);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job(worker);
  }
}

}  // namespace tombola
