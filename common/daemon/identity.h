// Who a daemon is, and whom it no longer believes.
#ifndef TOMBOLA_COMMON_DAEMON_IDENTITY_H_
#define TOMBOLA_COMMON_DAEMON_IDENTITY_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/crypto/ed25519_sign.h"
#include "common/daemon/options.h"
#include "common/metrics/metrics.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"

namespace tombola::daemon {

// Its signing key, and its certificate and the revocation lists as their files are now.
// Thread-safe.
class Identity {
 public:
  // NotFound or PermissionDenied name the file, InvalidArgument what does not fit. Adds the counter
  // `refused_metric` of certificate files that were not taken over, when the certificate ends, and
  // what tls::FollowRevocation adds to the metrics, which outlive the result.
  static absl::StatusOr<std::unique_ptr<Identity>> Load(const Options& options,
                                                        const std::string& refused_metric,
                                                        Metrics& metrics);

  const crypto::SigningKey& signing_key() const { return signing_key_; }
  const std::shared_ptr<tls::Identity>& tls_identity() const { return tls_; }
  // None: nothing is revoked.
  const std::shared_ptr<tls::Revocation>& revocation() const { return revocation_; }

  // Reads the files at once and logs `reloaded`, with how that of the tokens went.
  void Reload(const absl::Status& tokens) const;

 private:
  Identity(crypto::SigningKey signing_key, std::shared_ptr<tls::Identity> tls,
           std::shared_ptr<tls::Revocation> revocation)
      : signing_key_(std::move(signing_key)),
        tls_(std::move(tls)),
        revocation_(std::move(revocation)) {}

  const crypto::SigningKey signing_key_;
  const std::shared_ptr<tls::Identity> tls_;
  const std::shared_ptr<tls::Revocation> revocation_;
};

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_IDENTITY_H_
