// A named thread that repeats one step.
#ifndef TOMBOLA_COMMON_BASE_WORKER_H_
#define TOMBOLA_COMMON_BASE_WORKER_H_

#include <functional>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace tombola {

// Runs `step` at once, then after every nudge and at least once a period, until it is stopped. The
// step runs on this thread alone and never under a lock.
class Worker {
 public:
  // `name` shows in the system's tools: at most 15 bytes.
  Worker(const std::string& name, absl::Duration period, std::function<void()> step);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The step will run once more, soon. Cheap, from any thread.
  void Nudge();
  // Lets the step that is running end, and joins the thread. Idempotent.
  void Stop();

 private:
  void Run();

  const absl::Duration period_;
  const std::function<void()> step_;
  Mutex mutex_;
  CondVar wake_;
  bool nudged_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_WORKER_H_
