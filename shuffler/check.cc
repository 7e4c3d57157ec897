#include "shuffler/check.h"

#include "absl/strings/str_cat.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/daemon/check_files.h"
#include "common/http/port_options.h"
#include "common/rpc/address.h"
#include "common/rpc/tls.h"
#include "shuffler/catalog/public_key_file.h"

namespace tombola::shuffler {

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen", options.listen));
  const absl::StatusOr<rpc::Address> collector = rpc::ParseAddress(options.collector);
  TOMBOLA_RETURN_IF_ERROR(daemon::OfSetting("--collector", collector.status()));
  if (collector->port == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--collector = ", options.collector, " needs a port above 0"));
  }
  if (options.plain_text_on_loopback) {
    TOMBOLA_RETURN_IF_ERROR(rpc::PlainTextOnLoopback(options.listen).status());
  }
  TOMBOLA_RETURN_IF_ERROR(http::CheckPortOptions(options.http));
  const StoreLimits& limits = options.store_limits;
  if (limits.held_reports_per_task > limits.held_reports) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-held-reports-per-task = ", limits.held_reports_per_task,
                     " must be at most --max-held-reports = ", limits.held_reports));
  }
  TOMBOLA_RETURN_IF_ERROR(
      daemon::OfSetting("--collector-key", ReadPublicKey(options.collector_key_file).status()));
  TOMBOLA_RETURN_IF_ERROR(daemon::OfSetting(
      "--cert", daemon::CheckCertificateRole(options.certificate, kRoleShuffler)));
  return daemon::CheckFiles(options);
}

}  // namespace tombola::shuffler
