// How long a daemon's certificate lasts, for its operator.
#ifndef TOMBOLA_COMMON_TLS_IDENTITY_METRICS_H_
#define TOMBOLA_COMMON_TLS_IDENTITY_METRICS_H_

#include <memory>

#include "common/metrics/metrics.h"
#include "common/tls/identity.h"

namespace tombola::tls {

// tombola_certificate_end_timestamp_seconds, of the certificate in service when it is asked for.
void AddCertificateEnd(std::shared_ptr<Identity> identity, Metrics& metrics);

}  // namespace tombola::tls

#endif  // TOMBOLA_COMMON_TLS_IDENTITY_METRICS_H_
