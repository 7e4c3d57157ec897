#include "common/daemon/identity.h"

#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/log/log.h"
#include "common/tls/identity.h"

namespace tombola::daemon {
namespace {

absl::StatusOr<crypto::SigningKey> ReadSigningKey(const std::string& path) {
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(path));
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes seed, crypto::ReadSecretFile(path));
  return crypto::SigningKey::FromSeed(seed);
}

const char* Outcome(const absl::Status& status) { return status.ok() ? "taken over" : "refused"; }

}  // namespace

absl::StatusOr<std::unique_ptr<Identity>> Identity::Load(const Options& options,
                                                         const std::string& refused_metric,
                                                         Metrics& metrics) {
  TOMBOLA_ASSIGN_OR_RETURN(crypto::SigningKey signing_key, ReadSigningKey(options.signing_key));
  prometheus::Counter& refused = metrics.Counter(
      refused_metric, "Certificate files that were not taken over, or whose time is not now.");
  TOMBOLA_ASSIGN_OR_RETURN(
      auto identity, tls::Identity::Load(options.Tls(), [&refused](const absl::Status& status) {
        refused.Increment();
        log::Warning("certificate_refused", {{"status", status.ToString()}});
      }));
  tls::AddCertificateEnd(identity, metrics);
  TOMBOLA_ASSIGN_OR_RETURN(auto revocation, tls::FollowRevocation(options.Revocation(), metrics));
  return std::unique_ptr<Identity>(
      new Identity(std::move(signing_key), std::move(identity), std::move(revocation)));
}

void Identity::Reload(const absl::Status& tokens) const {
  const absl::Status certificates = tls_->Reload();
  const absl::Status revoked = revocation_ == nullptr ? absl::OkStatus() : revocation_->Reload();
  log::Info("reloaded", {{"certificates", Outcome(certificates)},
                         {"tokens", Outcome(tokens)},
                         {"revoked", Outcome(revoked)},
                         {"generation", static_cast<int64_t>(tls_->Current()->generation)}});
}

}  // namespace tombola::daemon
