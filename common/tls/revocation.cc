#include "common/tls/revocation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"
#include "common/log/log.h"

namespace tombola::tls {

absl::StatusOr<crypto::RevocationLists> ReadRevocation(const RevocationFiles& files) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string lists, ReadSmallFile(files.lists));
  TOMBOLA_ASSIGN_OR_RETURN(const std::string roots, ReadSmallFile(files.roots));
  auto read = crypto::RevocationLists::Parse(lists, roots);
  if (read.ok()) return read;
  return absl::InvalidArgumentError(absl::StrCat(files.lists, " ", read.status().message()));
}

absl::StatusOr<std::shared_ptr<Revocation>> FollowRevocation(const RevocationFiles& files,
                                                             Metrics& metrics) {
  prometheus::Counter& refused =
      metrics.Counter("tombola_revocations_refused_total",
                      "Files of revocation lists that were not taken over, or are gone.");
  std::shared_ptr<Revocation> revocation;
  if (!files.lists.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(
        revocation,
        Revocation::Load({.files = {files.lists, files.roots},
                          .read = [files] { return ReadRevocation(files); },
                          .refused =
                              [&refused](const absl::Status& status) {
                                refused.Increment();
                                log::Warning("revocation_refused", {{"status", status.ToString()}});
                              },
                          .taken =
                              [](const crypto::RevocationLists& lists) {
                                log::Info("revocation_taken_over",
                                          {{"certificates", static_cast<int64_t>(lists.size())}});
                              },
                          .when_gone = nullptr}));
  }
  metrics.AddLook([revocation](Readings& out) {
    out.Gauge("tombola_revoked_certificates", "Certificates on the revocation lists in force.",
              revocation == nullptr ? 0.0 : static_cast<double>(revocation->Current()->size()));
  });
  return revocation;
}

}  // namespace tombola::tls
