// Says why it takes so long to reach the shuffler, while something else goes on trying.
#ifndef TOMBOLA_CLI_CONNECT_SLOW_CONNECTION_H_
#define TOMBOLA_CLI_CONNECT_SLOW_CONNECTION_H_

#include <thread>

#include "absl/time/time.h"
#include "cli/connect/config.h"
#include "common/base/mutex.h"

namespace tombola::cli {

// Once this has lived for three seconds it asks the shuffler something itself, over a connection of
// its own, and writes one line on standard error if that fails: what is wrong with which address.
// Before that it does nothing at all. Its end takes as long as that question, two seconds at most.
class SlowConnection {
 public:
  explicit SlowConnection(Config config);
  ~SlowConnection();
  SlowConnection(const SlowConnection&) = delete;
  SlowConnection& operator=(const SlowConnection&) = delete;

 private:
  void Run();

  const Config config_;
  const absl::Time says_;
  Mutex mutex_;
  CondVar ended_;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CONNECT_SLOW_CONNECTION_H_
