// The shuffler's flags, which are the keys of its configuration file too.
#ifndef TOMBOLA_SHUFFLER_FLAGS_H_
#define TOMBOLA_SHUFFLER_FLAGS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/daemon/flags.h"
#include "shuffler/daemon.h"

namespace tombola::shuffler {

// Their values are in Options() once the app has parsed.
class Flags : public daemon::Flags {
 public:
  Flags();

  DaemonOptions Options() const;

 private:
  DaemonOptions options_;
  int64_t memory_mib_ = 256;
  int64_t calls_mib_;
  int64_t lookups_mib_;
  int64_t connections_mib_;
  int64_t held_mib_;
  int64_t outbox_mib_;
};

// What can be said of a configuration without starting: that the files are there with the rights
// they must have and fit together, and that addresses, limits and times are within their bounds.
// Neither opens what is stored nor listens nor calls anybody. The first problem found, which names
// the file or flag.
absl::Status CheckOptions(const DaemonOptions& options);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FLAGS_H_
