#include <utility>

#include "common/crypto/certificate_pair.h"
#include "common/metrics/metrics.h"
#include "common/tls/identity.h"

namespace tombola::tls {

void AddCertificateEnd(std::shared_ptr<Identity> identity, Metrics& metrics) {
  metrics.AddLook([identity = std::move(identity)](Readings& out) {
    const auto end = crypto::CertificateEnd(identity->Current()->certificate);
    if (!end.ok()) return;
    out.Gauge("tombola_certificate_end_timestamp_seconds",
              "When the certificate in service ends: renew it before.",
              static_cast<double>(absl::ToUnixSeconds(*end)));
  });
}

}  // namespace tombola::tls
