// Independent pieces of work on a few threads.
#ifndef TOMBOLA_COMMON_BASE_PARALLEL_H_
#define TOMBOLA_COMMON_BASE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tombola {

// Calls work(i) once for each i below `count`, in any order, on this thread and threads - 1 others,
// and returns when all are done.
template <typename Work>
void ForEachIndex(size_t count, int threads, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  const size_t wanted = std::min(count, static_cast<size_t>(std::max(threads, 1)));
  for (size_t i = 1; i < wanted; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_PARALLEL_H_
