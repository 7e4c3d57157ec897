#include "common/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/crypto/certificate_pair.h"
#include "common/crypto/openssl_handles.h"
#include "common/log/log.h"

namespace tombola::http {
namespace {

using Bio = std::unique_ptr<BIO, crypto::OpenSslDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, crypto::OpenSslDeleter<X509_free>>;

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
  const Bio bio(BIO_new_mem_buf(roots.data(), static_cast<int>(roots.size())));
  int added = 0;
  while (true) {
    const Certificate root(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
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

bool SetUp(SSL_CTX* context, const rpc::TlsMaterial& material) {
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

absl::StatusOr<TlsContext> MakeTlsContext(const rpc::TlsMaterial& material) {
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
  return context;
}

absl::StatusOr<std::unique_ptr<TlsContexts>> TlsContexts::Create(
    std::shared_ptr<rpc::TlsIdentity> identity) {
  const std::shared_ptr<const rpc::TlsMaterial> material = identity->Current();
  TOMBOLA_ASSIGN_OR_RETURN(TlsContext context, MakeTlsContext(*material));
  return std::unique_ptr<TlsContexts>(
      new TlsContexts(std::move(identity), material->generation, std::move(context)));
}

TlsContext TlsContexts::Current() {
  const std::shared_ptr<const rpc::TlsMaterial> material = identity_->Current();
  MutexLock lock(mutex_);
  if (material->generation > generation_) {
    generation_ = material->generation;
    if (auto context = MakeTlsContext(*material); context.ok()) {
      context_ = *std::move(context);
    } else {
      log::Warning("certificate_refused", {{"status", context.status().ToString()}});
    }
  }
  return context_;
}

std::vector<std::string> PeerRoles(SSL* connection) {
  std::vector<std::string> roles;
  const Certificate certificate(SSL_get1_peer_certificate(connection));
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return roles;
  const Bio pem(BIO_new(BIO_s_mem()));
  char* text = nullptr;
  if (PEM_write_bio_X509(pem.get(), certificate.get()) != 1) return roles;
  const long size = BIO_get_mem_data(pem.get(), &text);  // NOLINT: OpenSSL's own type
  const auto named = crypto::CertificateRoles(absl::string_view(text, static_cast<size_t>(size)));
  if (named.ok()) roles = *named;
  return roles;
}

}  // namespace tombola::http
