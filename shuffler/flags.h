// The shuffler's flags, which are the keys of its configuration file too.
#ifndef TOMBOLA_SHUFFLER_FLAGS_H_
#define TOMBOLA_SHUFFLER_FLAGS_H_

#include <cstdint>

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

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FLAGS_H_
