// Both daemons on this machine, with keys and certificates of their own.
#ifndef TOMBOLA_CLI_DEMO_DEPLOYMENT_H_
#define TOMBOLA_CLI_DEMO_DEPLOYMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/connect/config.h"
#include "cli/demo/child.h"
#include "common/disk/lock.h"

namespace tombola::cli {

// A directory with everything in it: certificates and keys, made at the first start and kept, both
// daemons' data, their logs, and tombola.json. The daemons run as children of this process on
// 127.0.0.1 until they are stopped.
class Deployment {
 public:
  struct Options {
    std::string directory;
    // 0: those of the start before, as far as they are free, else free ones; else the shuffler
    // takes it, the collector the two after it, and the dashboard the one after those.
    int port_base = 0;
    // Serves the page on 127.0.0.1 without TLS, with a token that stays over starts, so that a
    // bookmark does too.
    bool dashboard = false;
    // A token of its own for this start: whoever has seen the address before is not let in any
    // more.
    bool new_token = false;
    // Further ones of the collector.
    std::vector<std::string> collector_flags = {};
  };
  static absl::StatusOr<Deployment> Start(const Options& options);

  const Config& config() const { return config_; }
  const std::string& config_path() const { return config_path_; }
  pid_t shuffler_pid() const { return shuffler_.pid(); }
  pid_t collector_pid() const { return collector_.pid(); }

  // Until SIGINT or SIGTERM comes, which is OK, or a daemon ends by itself. Both signals and
  // SIGCHLD are blocked by then (BlockSignals), so that none is missed.
  absl::Status WaitForEnd() const;
  // Before any thread and any child exists.
  static void BlockSignals();

  absl::Status Stop();

 private:
  Deployment(DiskLock lock, Child collector, Child shuffler)
      : lock_(std::move(lock)), collector_(std::move(collector)), shuffler_(std::move(shuffler)) {}

  DiskLock lock_;  // of the whole directory: its keys and logs are of one deployment
  Config config_;
  std::string config_path_;
  Child collector_;
  Child shuffler_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_DEPLOYMENT_H_
