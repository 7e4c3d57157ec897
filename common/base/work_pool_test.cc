#include "common/base/work_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <vector>

namespace tombola {
namespace {

TEST(WorkPoolTest, RunsEverythingThatWasAddedBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    WorkPool pool(3);
    EXPECT_EQ(pool.threads(), 3);
    for (int i = 0; i < 1000; ++i) pool.Add([&](int) { ++done; });
  }
  EXPECT_EQ(done, 1000);
}

TEST(WorkPoolTest, OneThreadRunsJobsInTheirOrder) {
  std::vector<int> order;
  {
    WorkPool pool(1);
    for (int i = 0; i < 100; ++i) pool.Add([&order, i](int) { order.push_back(i); });
  }
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(WorkPoolTest, NoTwoJobsOfOneWorkerRunAtOnce) {
  constexpr int kThreads = 4;
  std::array<std::atomic<int>, kThreads> inside{};
  // Plain numbers: a data race here is one that ThreadSanitizer sees.
  std::array<int64_t, kThreads> runs{};
  std::atomic<bool> overlapped = false, outside = false;
  {
    WorkPool pool(kThreads);
    for (int i = 0; i < 2000; ++i) {
      pool.Add([&](int worker) {
        if (worker < 0 || worker >= kThreads) {
          outside = true;
          return;
        }
        const auto slot = static_cast<size_t>(worker);
        if (inside[slot].fetch_add(1) != 0) overlapped = true;
        ++runs[slot];
        inside[slot].fetch_sub(1);
      });
    }
  }
  EXPECT_FALSE(outside);
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), int64_t{0}), 2000);
}

TEST(WorkPoolTest, AJobMayAddAnother) {
  std::atomic<int> done = 0;
  {
    WorkPool pool(2);
    pool.Add([&](int) { pool.Add([&](int) { ++done; }); });
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace tombola
