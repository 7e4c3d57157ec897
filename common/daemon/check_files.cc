#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate_pair.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/daemon/options.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"
#include "common/log/log.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"

namespace tombola::daemon {
namespace {

// As tls::Identity::Load does at a start. A certificate out of its time is only logged: it would be
// served.
absl::Status CheckTlsFiles(const tls::Files& files) {
  const auto out_of_time = [](const absl::Status& status) {
    log::Warning("certificate_refused", {{"status", status.ToString()}});
  };
  return tls::Identity::Load(files, out_of_time).status();
}

// As tls::FollowRevocation does at a start.
absl::Status CheckRevocation(const tls::RevocationFiles& files) {
  return files.lists.empty() ? absl::OkStatus() : tls::ReadRevocation(files).status();
}

// The seed of an Ed25519 key that only its owner can read or exchange.
absl::Status CheckSigningKey(const std::string& path) {
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(path));
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes seed, crypto::ReadSecretFile(path));
  const absl::Status status = crypto::SigningKey::FromSeed(seed).status();
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// A directory that this process can write, or one that it can make.
absl::Status CheckDataDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(path, error).lexically_normal();
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!std::filesystem::is_directory(there, error)) {
    return absl::InvalidArgumentError(absl::StrCat(there.string(), " is not a directory"));
  }
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    return DiskError("write", there.string());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status OfSetting(absl::string_view setting, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(setting, ": ", status.message()));
}

absl::Status CheckFiles(const Options& options) {
  TOMBOLA_RETURN_IF_ERROR(OfSetting("--data-dir", CheckDataDirectory(options.data_directory)));
  TOMBOLA_RETURN_IF_ERROR(OfSetting("--signing-key", CheckSigningKey(options.signing_key)));
  TOMBOLA_RETURN_IF_ERROR(OfSetting("--cert, --key and --roots", CheckTlsFiles(options.Tls())));
  return OfSetting("--revoked", CheckRevocation(options.Revocation()));
}

absl::Status CheckCertificateRole(const std::string& certificate, absl::string_view role) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string chain, ReadSmallFile(certificate));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> roles, crypto::CertificateRoles(chain));
  if (std::find(roles.begin(), roles.end(), role) != roles.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(certificate, " does not name the role ", role, " (", kRoleUriPrefix, role,
                   " among its alternative names), so that the other daemon would refuse it"));
}

}  // namespace tombola::daemon
