// The collector's flags, which are the keys of its configuration file too.
#ifndef TOMBOLA_COLLECTOR_FLAGS_H_
#define TOMBOLA_COLLECTOR_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "collector/daemon.h"
#include "common/log/log.h"

namespace tombola::collector {

// Declares the flags on an app of its own; their values are in Options() once that has parsed.
class Flags {
 public:
  Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  CLI::App& app() { return app_; }
  DaemonOptions Options() const;
  int ready_fd() const { return ready_fd_; }
  // Directories, or empty. Of one that is not, the daemon is not wanted, and of the other flags
  // only
  // --data-dir is.
  const std::string& backup() const { return backup_; }
  const std::string& restore() const { return restore_; }
  log::Level log_level() const { return *log::ParseLevel(log_level_); }

 private:
  CLI::App app_{"Opens batches of sealed reports, aggregates them and answers questions.",
                "tombola-collector"};
  DaemonOptions options_;
  int64_t answers_mib_;
  std::string log_level_ = "info";
  int ready_fd_ = -1;
  std::string backup_;
  std::string restore_;
};

// What can be said of a configuration without starting: that the files are there with the rights
// they must have and fit together, and that addresses, limits and times are within their bounds.
// Neither opens what is stored nor listens nor calls anybody. The first problem found, which names
// the file or flag.
absl::Status CheckOptions(const DaemonOptions& options);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_FLAGS_H_
