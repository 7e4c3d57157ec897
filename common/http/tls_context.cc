#include "common/http/tls_context.h"

#include <openssl/ssl.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate_reader.h"
#include "common/log/log.h"

namespace tombola::http {
namespace {

using crypto::Bio;
using crypto::Certificate;

std::string ToPem(X509* certificate) {
  const Bio pem(BIO_new(BIO_s_mem()));
  char* text = nullptr;
  if (PEM_write_bio_X509(pem.get(), certificate) != 1) return "";
  const long size = BIO_get_mem_data(pem.get(), &text);  // NOLINT: OpenSSL's own type
  return std::string(text, static_cast<size_t>(size));
}

// Called for each certificate of the chain that has been verified so far.
bool IsRevoked(X509_STORE_CTX* peer, tls::Revocation& revocation) {
  if (!revocation.Current()->Revoke(ToPem(X509_STORE_CTX_get_current_cert(peer)))) return false;
  X509_STORE_CTX_set_error(peer, X509_V_ERR_CERT_REVOKED);
  return true;
}

int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* chosen_length,
                   const unsigned char* offered, unsigned offered_length, void*) {
  static constexpr unsigned char kHttp[] = "\x08http/1.1";
  unsigned char* match = nullptr;
  if (SSL_select_next_proto(&match, chosen_length, kHttp, sizeof(kHttp) - 1, offered,
                            offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

// Whom to trust, and whose certificates to ask for.
bool AddRoots(SSL_CTX* context, const std::string& roots) {
  const Bio bio = crypto::Reading(roots);
  int added = 0;
  while (true) {
    const Certificate root = crypto::NextCertificate(bio.get());
    if (root == nullptr) break;  // the end; the identity has checked that all are whole
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get()) != 1 ||
        SSL_CTX_add_client_CA(context, root.get()) != 1) {
      return false;
    }
    ++added;
  }
  ERR_clear_error();
  return added > 0;
}

bool SetUp(SSL_CTX* context, const tls::Material& material) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, &ChooseProtocol, nullptr);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
         SSL_CTX_set_num_tickets(context, 0) == 1 && AddRoots(context, material.roots);
}

}  // namespace

absl::StatusOr<TlsContext> MakeTlsContext(const tls::Material& material,
                                          std::shared_ptr<tls::Revocation> revocation) {
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  const absl::string_view key = material.private_key.ExposeSecretAsString();
  boost::system::error_code error;
  context->use_certificate_chain(boost::asio::buffer(material.certificate), error);
  if (!error) {
    context->use_private_key(boost::asio::buffer(key.data(), key.size()), ssl::context::pem, error);
  }
  if (error) {
    return absl::InternalError(absl::StrCat("the certificate and its key: ", error.message()));
  }
  if (!SetUp(context->native_handle(), material)) {
    ERR_clear_error();
    return absl::InternalError("OpenSSL does not take the roots or the settings");
  }
  if (revocation != nullptr) {
    context->set_verify_callback(
        [revocation = std::move(revocation)](bool verified, ssl::verify_context& peer) {
          return verified && !IsRevoked(peer.native_handle(), *revocation);
        });
  }
  return context;
}

absl::StatusOr<std::unique_ptr<TlsContexts>> TlsContexts::Create(
    std::shared_ptr<tls::Identity> identity, std::shared_ptr<tls::Revocation> revocation) {
  const std::shared_ptr<const tls::Material> material = identity->Current();
  TOMBOLA_ASSIGN_OR_RETURN(TlsContext context, MakeTlsContext(*material, revocation));
  return std::unique_ptr<TlsContexts>(new TlsContexts(std::move(identity), std::move(revocation),
                                                      material->generation, std::move(context)));
}

TlsContext TlsContexts::Current() {
  const std::shared_ptr<const tls::Material> material = identity_->Current();
  MutexLock lock(mutex_);
  if (material->generation > generation_) {
    generation_ = material->generation;
    if (auto context = MakeTlsContext(*material, revocation_); context.ok()) {
      context_ = *std::move(context);
    } else {
      log::Warning("certificate_refused", {{"status", context.status().ToString()}});
    }
  }
  return context_;
}

std::string PeerCertificates(SSL* connection) {
  std::string text;
  if (SSL_get_verify_result(connection) != X509_V_OK) return text;
  const STACK_OF(X509)* const chain = SSL_get0_verified_chain(connection);
  for (int i = 0; i < sk_X509_num(chain); ++i) text.append(ToPem(sk_X509_value(chain, i)));
  return text;
}

}  // namespace tombola::http
