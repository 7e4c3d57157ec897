#include "common/rpc/live_tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/rpc/connection_calls.h"

namespace tombola::rpc {
namespace {

// gRPC's C++ API has no server credentials that ask before each handshake, its C API has: this
// wraps them.
class LiveServerCredentials final : public grpc::ServerCredentials {
 public:
  LiveServerCredentials(std::shared_ptr<tls::Identity> identity,
                        grpc_ssl_client_certificate_request_type request)
      : identity_(std::move(identity)) {
    // Takes the options over.
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(request, &Fetch, this));
    TOMBOLA_CHECK(credentials_ != nullptr);
    LimitCallsOfConnections(credentials_);
  }
  ~LiveServerCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {
    TOMBOLA_CHECK(false);  // nobody here has one
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<LiveServerCredentials*>(self)->Fetch(config);
  }
  grpc_ssl_certificate_config_reload_status Fetch(grpc_ssl_server_certificate_config** config) {
    const std::shared_ptr<const tls::Material> material = identity_->Current();
    MutexLock lock(mutex_);
    if (material->generation <= generation_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const std::string key(material->private_key.ExposeSecretAsString());
    const grpc_ssl_pem_key_cert_pair pair{key.c_str(), material->certificate.c_str()};
    *config = grpc_ssl_server_certificate_config_create(material->roots.c_str(), &pair, 1);
    generation_ = material->generation;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<tls::Identity> identity_;
  grpc_server_credentials* credentials_;
  Mutex mutex_;
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;  // that gRPC has
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> LiveServerTls(std::shared_ptr<tls::Identity> identity,
                                                       ClientCertificate mode) {
  return std::make_shared<LiveServerCredentials>(
      std::move(identity), mode == ClientCertificate::kRequired
                               ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                               : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY);
}

std::shared_ptr<grpc::ChannelCredentials> ChannelTlsOf(const tls::Material& material) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = material.roots;
  options.pem_private_key = std::string(material.private_key.ExposeSecretAsString());
  options.pem_cert_chain = material.certificate;
  return grpc::SslCredentials(options);
}

}  // namespace tombola::rpc
