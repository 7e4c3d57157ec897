// How long a daemon's certificate lasts, for its operator.
#ifndef TOMBOLA_COMMON_RPC_IDENTITY_METRICS_H_
#define TOMBOLA_COMMON_RPC_IDENTITY_METRICS_H_

#include <memory>

#include "common/metrics/metrics.h"
#include "common/rpc/tls_identity.h"

namespace tombola::rpc {

// tombola_certificate_end_timestamp_seconds, of the certificate in service when it is asked for.
void AddCertificateEnd(std::shared_ptr<TlsIdentity> identity, Metrics& metrics);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_IDENTITY_METRICS_H_
