// What every daemon is told, whatever it does.
#ifndef TOMBOLA_COMMON_DAEMON_OPTIONS_H_
#define TOMBOLA_COMMON_DAEMON_OPTIONS_H_

#include <string>

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

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_OPTIONS_H_
