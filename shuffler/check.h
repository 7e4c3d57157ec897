// What can be said of a configuration without starting.
#ifndef TOMBOLA_SHUFFLER_CHECK_H_
#define TOMBOLA_SHUFFLER_CHECK_H_

#include "absl/status/status.h"
#include "shuffler/daemon.h"

namespace tombola::shuffler {

// That the files are there with the rights they must have and fit together, and that addresses,
// limits and times are within their bounds. Neither opens what is stored nor listens nor calls
// anybody. The first problem found, which names the file or flag.
absl::Status CheckOptions(const DaemonOptions& options);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CHECK_H_
