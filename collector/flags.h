// The collector's flags, which are the keys of its configuration file too.
#ifndef TOMBOLA_COLLECTOR_FLAGS_H_
#define TOMBOLA_COLLECTOR_FLAGS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "collector/daemon.h"
#include "common/daemon/flags.h"

namespace tombola::collector {

// Their values are in Options() once the app has parsed.
class Flags : public daemon::Flags {
 public:
  Flags();

  DaemonOptions Options() const;
  // Directories, or empty. Of one that is not, the daemon is not wanted, and of the other flags
  // only --data-dir is.
  const std::string& backup() const { return backup_; }
  const std::string& restore() const { return restore_; }

 private:
  DaemonOptions options_;
  int64_t answers_mib_;
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
