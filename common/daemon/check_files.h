// What --check-config of both daemons looks at: the files that a configuration names.
#ifndef TOMBOLA_COMMON_DAEMON_CHECK_FILES_H_
#define TOMBOLA_COMMON_DAEMON_CHECK_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/daemon/options.h"

namespace tombola::daemon {

// The same status with the setting that it is about before its message.
absl::Status OfSetting(absl::string_view setting, const absl::Status& status);

// All of these name the file and what is wrong with it.

// Of the files that every daemon has: --data-dir, --signing-key, --cert with --key and --roots, and
// --revoked, in this order.
absl::Status CheckFiles(const Options& options);

// That the certificate names the role without which its holder is refused.
absl::Status CheckCertificateRole(const std::string& certificate, absl::string_view role);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_CHECK_FILES_H_
