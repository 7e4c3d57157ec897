// What every daemon is told, whatever it does, and whether its files are as they should be.
#ifndef TOMBOLA_COMMON_DAEMON_OPTIONS_H_
#define TOMBOLA_COMMON_DAEMON_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/tls/files.h"

namespace tombola::daemon {

// Paths; a daemon's own options are derived from these.
struct Options {
  std::string data_directory;
  std::string certificate;  // PEM files of this server
  std::string private_key;
  std::string roots;        // who vouches for the others
  std::string revoked;      // PEM file of revocation lists; empty: nothing is revoked
  std::string signing_key;  // file with the daemon's own Ed25519 seed

  tls::Files Tls() const {
    return {.certificate = certificate, .private_key = private_key, .roots = roots};
  }
  tls::RevocationFiles Revocation() const { return {.lists = revoked, .roots = roots}; }
};

// The same status with the setting that it is about before its message.
absl::Status OfSetting(absl::string_view setting, const absl::Status& status);

// All of these name the file and what is wrong with it.

// Of the files that every daemon has: --data-dir, --signing-key, --cert with --key and --roots, and
// --revoked, in this order.
absl::Status CheckFiles(const Options& options);

// That the certificate names the role without which its holder is refused.
absl::Status CheckCertificateRole(const std::string& certificate, absl::string_view role);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_OPTIONS_H_
