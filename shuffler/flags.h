// The shuffler's flags, which are the keys of its configuration file too.
#ifndef TOMBOLA_SHUFFLER_FLAGS_H_
#define TOMBOLA_SHUFFLER_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "common/log/log.h"
#include "shuffler/daemon.h"

namespace tombola::shuffler {

// Declares the flags on an app of its own; their values are in Options() once that has parsed.
class Flags {
 public:
  Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  CLI::App& app() { return app_; }
  DaemonOptions Options() const;
  int ready_fd() const { return ready_fd_; }
  log::Level log_level() const { return *log::ParseLevel(log_level_); }

 private:
  CLI::App app_{"Gathers sealed reports of devices, permutes them and forwards them in batches.",
                "tombola-shuffler"};
  DaemonOptions options_;
  int64_t memory_mib_ = 256;
  int64_t calls_mib_;
  int64_t lookups_mib_;
  int64_t connections_mib_;
  int64_t held_mib_;
  int64_t outbox_mib_;
  std::string log_level_ = "info";
  int ready_fd_ = -1;
};

// What can be said of a configuration without starting: that the files are there with the rights
// they must have and fit together, and that addresses, limits and times are within their bounds.
// Neither opens what is stored nor listens nor calls anybody. The first problem found, which names
// the file or flag.
absl::Status CheckOptions(const DaemonOptions& options);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FLAGS_H_
