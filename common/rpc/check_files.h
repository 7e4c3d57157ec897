// What --check-config of both daemons looks at: the files that a configuration names.
#ifndef TOMBOLA_COMMON_RPC_CHECK_FILES_H_
#define TOMBOLA_COMMON_RPC_CHECK_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/tls/files.h"
#include "common/tls/revocation.h"

namespace tombola::rpc {

// The same status with the setting that it is about before its message.
absl::Status OfSetting(absl::string_view setting, const absl::Status& status);

// All of these name the file and what is wrong with it.

// As tls::Identity::Load does at a start. A certificate out of its time is only logged: it would be
// served.
absl::Status CheckTlsFiles(const tls::Files& files);
// As tls::FollowRevocation does at a start.
absl::Status CheckRevocation(const tls::RevocationFiles& files);
// That the certificate names the role without which its holder is refused.
absl::Status CheckCertificateRole(const std::string& certificate, absl::string_view role);
// The seed of an Ed25519 key that only its owner can read or exchange.
absl::Status CheckSigningKey(const std::string& path);
// A directory that this process can write, or one that it can make.
absl::Status CheckDataDirectory(const std::string& path);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CHECK_FILES_H_
