// One configuration of a daemon out of its defaults, a file and its flags.
#ifndef TOMBOLA_COMMON_DAEMON_CONFIG_H_
#define TOMBOLA_COMMON_DAEMON_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/config/config_file.h"

namespace CLI {
class App;
}

namespace tombola::daemon {

// What is in force for one key, and who said so.
struct Setting {
  std::string key;
  std::string value;   // as config::FormatValue writes it
  std::string origin;  // `default`, `file` or `flag`
};

// Gives an app whose flags are declared three more: --config FILE, --print-config and
// --check-config. The keys of the file are the names of the other flags without the dashes before
// them; a flag on the command line overrides the file. Settings are paths, addresses, numbers and
// times: nothing secret is ever among them, since secrets lie in files that they name.
//
// The app must outlive this. Not thread-safe.
class Config {
 public:
  // Options that are not `configurable` have no key.
  explicit Config(CLI::App* app);
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  // Nothing: go on. Else the exit code: 0 after --help, --version or --print-config, 2 for bad
  // usage or a bad file, which is said in one line on standard error.
  std::optional<int> Read(int argc, char** argv);
  // The same for a look at whether anything has changed: prints nothing. InvalidArgument names the
  // flag, or the file, line and key.
  absl::Status Parse(int argc, char** argv);

  // Whether --check-config was given.
  bool check() const { return check_; }
  // In the order of --help.
  std::vector<Setting> Effective() const;

 private:
  class File;

  std::string Located(const std::string& message) const;

  CLI::App* const app_;
  bool print_ = false;
  bool check_ = false;
  std::vector<config::Entry> taken_;  // from the file: what no flag overrides
};

// The settings as a file that --config reads.
std::string FormatSettings(const std::vector<Setting>& settings);

// The keys whose values differ between two configurations of one daemon.
std::vector<std::string> Differences(const std::vector<Setting>& one,
                                     const std::vector<Setting>& other);

// What a daemon says when it is told to reload. Reads the configuration into `fresh`, which has not
// parsed yet, and logs `needs_restart` with the keys that differ from those of the running daemon,
// but for log-level, or `config_refused` with the cause. Whether it could be read: then the caller
// takes the log level over, and nothing else.
bool SayWhatNeedsRestart(const std::vector<Setting>& running, Config& fresh, int argc, char** argv);

// Ends --check-config: prints `OK`, or the problem in one line on standard error; the exit code.
int SayChecked(absl::string_view program, const absl::Status& status);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_CONFIG_H_
