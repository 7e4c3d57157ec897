// Pieces of work on a few threads, handed over by one that must not run far ahead of them.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_WORK_LINE_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_WORK_LINE_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"

namespace tombola::shuffler {

// Used by one thread; its own threads start with the first item. Never more items are alive than
// twice the threads and one: those in work, as many that wait, and the caller's. Items that are
// done come back to the caller with their memory.
template <typename Item>
class WorkLine {
 public:
  // `work` is called by the threads, each of which has a number below `threads`. threads >= 1.
  using Work = std::function<void(size_t worker, Item& item)>;
  WorkLine(size_t threads, Work work) : wanted_(threads), work_(std::move(work)) {}
  ~WorkLine() { Finish(); }
  WorkLine(const WorkLine&) = delete;
  WorkLine& operator=(const WorkLine&) = delete;

  // An item that is done, or a new one.
  Item Spare() {
    MutexLock lock(mutex_);
    if (done_.empty()) return Item();
    Item item = std::move(done_.back());
    done_.pop_back();
    return item;
  }

  // Waits for room.
  void Add(Item item) {
    for (size_t worker = threads_.size(); worker < wanted_; ++worker) {
      threads_.emplace_back([this, worker] { Run(worker); });
    }
    MutexLock lock(mutex_);
    while (waiting_.size() >= wanted_) changed_.Wait(mutex_);
    waiting_.push_back(std::move(item));
    changed_.NotifyAll();
  }

  // Returns when everything is done. Nothing may be added afterwards.
  void Finish() {
    {
      MutexLock lock(mutex_);
      finishing_ = true;
      changed_.NotifyAll();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void Run(size_t worker) {
    while (true) {
      Item item;
      {
        MutexLock lock(mutex_);
        while (waiting_.empty() && !finishing_) changed_.Wait(mutex_);
        if (waiting_.empty()) return;
        item = std::move(waiting_.front());
        waiting_.pop_front();
        changed_.NotifyAll();
      }
      work_(worker, item);
      MutexLock lock(mutex_);
      done_.push_back(std::move(item));
    }
  }

  const size_t wanted_;
  const Work work_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Item> waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<Item> done_ ABSL_GUARDED_BY(mutex_);
  bool finishing_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_WORK_LINE_H_
