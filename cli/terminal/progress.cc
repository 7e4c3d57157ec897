#include "cli/terminal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "absl/strings/str_format.h"

namespace tombola::cli {
namespace {

constexpr int kBarCells = 30;

// How long something takes, whatever the wall clock says meanwhile.
absl::Time SteadyNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)),
      total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(SteadyNow()),
      drawn_(absl::InfinitePast()) {}

void Progress::Add(int64_t done) {
  MutexLock lock(mutex_);
  done_ += done;
  const absl::Time now = SteadyNow();
  if (terminal_ && now - drawn_ >= absl::Milliseconds(100)) Draw(now);
}

void Progress::Draw(absl::Time now) {
  drawn_ = now;
  const double rate =
      static_cast<double>(done_) / std::max(1e-3, absl::ToDoubleSeconds(now - start_));
  std::string bar;
  if (total_ > 0) {
    const int full = static_cast<int>(kBarCells * std::min(done_, total_) / total_);
    for (int i = 0; i < kBarCells; ++i) bar += i < full ? "█" : "░";
  }
  std::cerr << absl::StrFormat("\r%s %s %d%s  %.0f/s ", what_, bar, done_,
                               total_ > 0 ? absl::StrFormat(" of %d", total_) : "", rate)
            << std::flush;
}

void Progress::Finish() {
  MutexLock lock(mutex_);
  const absl::Time now = SteadyNow();
  if (terminal_) Draw(now);
  std::cerr << (terminal_ ? "\n"
                          : absl::StrFormat("%s: %d in %.1f s\n", what_, done_,
                                            absl::ToDoubleSeconds(now - start_)));
}

}  // namespace tombola::cli
