// Credentials that follow their files.
#ifndef TOMBOLA_COMMON_RPC_LIVE_TLS_H_
#define TOMBOLA_COMMON_RPC_LIVE_TLS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "common/rpc/tls.h"
#include "common/tls/identity.h"

namespace tombola::rpc {

// For a server: every handshake looks whether the files have changed. Connections that are open go
// on with what they began with. Must outlive the server, which rpc::Server sees to.
std::shared_ptr<grpc::ServerCredentials> LiveServerTls(std::shared_ptr<tls::Identity> identity,
                                                       ClientCertificate mode);

// For a channel, which keeps what it was made with: make another one when the generation grows.
std::shared_ptr<grpc::ChannelCredentials> ChannelTlsOf(const tls::Material& material);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_LIVE_TLS_H_
