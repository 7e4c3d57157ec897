// TLS as the server speaks it. Private to this folder, for the sake of OpenSSL's headers.
#ifndef TOMBOLA_COMMON_HTTP_TLS_CONTEXT_H_
#define TOMBOLA_COMMON_HTTP_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"

namespace tombola::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// TLS 1.3, or 1.2 with forward secrecy and authenticated encryption only; ALPN is http/1.1. A
// client may show a certificate; one that the roots do not vouch for ends the handshake. No session
// is resumed, so that everybody is verified against the roots of today.
// One that is revoked, if lists are given, does so too.
absl::StatusOr<TlsContext> MakeTlsContext(const tls::Material& material,
                                          std::shared_ptr<tls::Revocation> revocation);

// The context for a new connection, made anew when the identity's files have changed. Thread-safe.
class TlsContexts {
 public:
  // Internal: OpenSSL does not take what the identity has.
  static absl::StatusOr<std::unique_ptr<TlsContexts>> Create(
      std::shared_ptr<tls::Identity> identity, std::shared_ptr<tls::Revocation> revocation);

  // The former one if OpenSSL does not take what is new.
  TlsContext Current();

 private:
  TlsContexts(std::shared_ptr<tls::Identity> identity, std::shared_ptr<tls::Revocation> revocation,
              uint64_t generation, TlsContext context)
      : identity_(std::move(identity)),
        revocation_(std::move(revocation)),
        generation_(generation),
        context_(std::move(context)) {}

  const std::shared_ptr<tls::Identity> identity_;
  const std::shared_ptr<tls::Revocation> revocation_;
  Mutex mutex_;
  uint64_t generation_ ABSL_GUARDED_BY(mutex_);
  TlsContext context_ ABSL_GUARDED_BY(mutex_);
};

// The certificate that the peer showed and that was verified, and those that vouch for it, in PEM;
// nothing without one.
std::string PeerCertificates(SSL* connection);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TLS_CONTEXT_H_
