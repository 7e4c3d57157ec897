#include "common/base/worker.h"

#include <gtest/gtest.h>

#include <future>

namespace tombola {
namespace {

TEST(Worker, RunsOnceAtOnceAndOncePerNudge) {
  std::promise<void> first, second;
  int runs = 0;
  Worker worker("test", absl::Hours(1), [&] {
    ++runs;
    if (runs == 1) first.set_value();
    if (runs == 2) second.set_value();
  });
  first.get_future().wait();
  worker.Nudge();
  second.get_future().wait();
  worker.Stop();
  EXPECT_EQ(runs, 2);
}

TEST(Worker, RunsAgainAfterItsPeriodWithoutANudge) {
  std::promise<void> third;
  int runs = 0;
  Worker worker("test", absl::Milliseconds(1), [&] {
    if (++runs == 3) third.set_value();
  });
  third.get_future().wait();
  worker.Stop();
  EXPECT_GE(runs, 3);
}

}  // namespace
}  // namespace tombola
