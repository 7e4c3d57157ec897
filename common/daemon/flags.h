// The flags that every daemon has.
#ifndef TOMBOLA_COMMON_DAEMON_FLAGS_H_
#define TOMBOLA_COMMON_DAEMON_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "common/daemon/options.h"
#include "common/log/log.h"

namespace tombola::daemon {

// An app of its own with --version, --log-level and --ready-fd. A daemon's own flags are declared
// by the class derived from this, in the order in which --help and --print-config show them; those
// of Options by the functions below, at their place among them.
class Flags {
 public:
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  CLI::App& app() { return app_; }
  // Once the app has parsed.
  int ready_fd() const { return ready_fd_; }
  log::Level log_level() const { return *log::ParseLevel(log_level_); }

 protected:
  Flags(const std::string& program, const std::string& description);
  ~Flags() = default;

  void AddDataDirectory(Options& options);
  // --cert, --key and --roots; the last vouches for `others`.
  void AddCertificates(Options& options, const std::string& others);
  void AddRevoked(Options& options);
  // Of `daemon`, as a sentence names it: "this shuffler".
  void AddSigningKey(Options& options, const std::string& daemon);
  void AddLogLevelAndReadyFd();

  CLI::App app_;

 private:
  std::string log_level_ = "info";
  int ready_fd_ = -1;
};

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_FLAGS_H_
