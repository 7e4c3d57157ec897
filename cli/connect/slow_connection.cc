#include "cli/connect/slow_connection.h"

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/connect/connection.h"

namespace tombola::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(3);

}  // namespace

SlowConnection::SlowConnection(Config config)
    : config_(std::move(config)), says_(absl::Now() + kPatience), thread_([this] { Run(); }) {}

SlowConnection::~SlowConnection() {
  {
    MutexLock lock(mutex_);
    over_ = true;
  }
  ended_.NotifyAll();
  thread_.join();
}

void SlowConnection::Run() {
  {
    MutexLock lock(mutex_);
    while (!over_ && absl::Now() < says_) {
      ended_.WaitFor(mutex_, absl::ToChronoNanoseconds(says_ - absl::Now()));
    }
    if (over_) return;
  }
  const absl::Status status = WhyNoShuffler(config_);
  // Whoever refuses is there: the one who tries will be told as much.
  if (!absl::IsUnavailable(status) && !absl::IsUnauthenticated(status)) return;
  std::cerr << absl::StrCat("tombola: ", status.message(), "; trying for half a minute\n");
}

}  // namespace tombola::cli
