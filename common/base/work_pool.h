// A few threads for work that takes its time.
#ifndef TOMBOLA_COMMON_BASE_WORK_POOL_H_
#define TOMBOLA_COMMON_BASE_WORK_POOL_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "common/base/mutex.h"

namespace tombola {

// Runs jobs in the order in which they came, each on one of its threads. Whoever adds jobs bounds
// their number. Thread-safe.
class WorkPool {
 public:
  // A job learns which worker runs it, 0 to threads() - 1: no two jobs of one number run at once,
  // so what a job keeps for its number needs no lock.
  using Job = std::function<void(int worker)>;

  // `name` shows in the system's tools: at most 15 bytes.
  // `niceness` above 0: its threads, and those that jobs start, get what others leave of the
  // processors (nice(1), up to 19).
  explicit WorkPool(int threads, const char* name = "open", int niceness = 0);
  // Runs what was added, then ends.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  void Add(Job job);

 private:
  void Run(int worker);

  const int niceness_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_WORK_POOL_H_
