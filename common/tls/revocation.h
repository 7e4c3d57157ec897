// The revocation lists that a daemon follows.
#ifndef TOMBOLA_COMMON_TLS_REVOCATION_H_
#define TOMBOLA_COMMON_TLS_REVOCATION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/crypto/revocation_list.h"
#include "common/disk/followed.h"
#include "common/metrics/metrics.h"
#include "common/tls/files.h"

namespace tombola::tls {

using Revocation = Followed<crypto::RevocationLists>;

// What the lists hold now. NotFound, PermissionDenied and InvalidArgument (as RevocationLists) name
// the file. An empty file has no list, and is refused.
absl::StatusOr<crypto::RevocationLists> ReadRevocation(const RevocationFiles& files);

// Follows them; none if there is no file to follow. A file that is gone or broken revokes what it
// revoked before, is logged and counted: nothing is let in by taking it away.
// Adds tombola_revocations_refused_total and tombola_revoked_certificates to the metrics, which
// outlive the result.
absl::StatusOr<std::shared_ptr<Revocation>> FollowRevocation(const RevocationFiles& files,
                                                             Metrics& metrics);

}  // namespace tombola::tls

#endif  // TOMBOLA_COMMON_TLS_REVOCATION_H_
