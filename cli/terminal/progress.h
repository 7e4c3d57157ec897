// A progress bar on standard error.
#ifndef TOMBOLA_CLI_TERMINAL_PROGRESS_H_
#define TOMBOLA_CLI_TERMINAL_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "common/base/mutex.h"

namespace tombola::cli {

// Draws at most ten times a second, and only where standard error is a terminal; elsewhere it says
// one line at the end. Thread-safe.
class Progress {
 public:
  // total 0: unknown.
  Progress(std::string what, int64_t total);
  void Add(int64_t done);
  void Finish();

 private:
  void Draw(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string what_;
  const int64_t total_;
  const bool terminal_;
  const absl::Time start_;
  Mutex mutex_;
  int64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time drawn_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TERMINAL_PROGRESS_H_
