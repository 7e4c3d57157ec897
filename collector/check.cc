#include "collector/check.h"

#include "collector/catalog/key_ring.h"
#include "collector/http/interface.h"
#include "common/base/status_macros.h"
#include "common/rpc/address.h"
#include "common/rpc/check_files.h"

namespace tombola::collector {

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-ingest", options.listen_ingest));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-query", options.listen_query));
  TOMBOLA_RETURN_IF_ERROR(CheckHttpOptions(options.http));
  TOMBOLA_RETURN_IF_ERROR(CheckTimes(options.key_times));
  TOMBOLA_RETURN_IF_ERROR(
      rpc::OfSetting("--data-dir", rpc::CheckDataDirectory(options.data_directory)));
  TOMBOLA_RETURN_IF_ERROR(
      rpc::OfSetting("--signing-key", rpc::CheckSigningKey(options.signing_key)));
  TOMBOLA_RETURN_IF_ERROR(rpc::OfSetting("--cert, --key and --roots",
                                         rpc::CheckTlsFiles({.certificate = options.certificate,
                                                             .private_key = options.private_key,
                                                             .roots = options.roots})));
  return rpc::OfSetting("--revoked",
                        rpc::CheckRevocation({.lists = options.revoked, .roots = options.roots}));
}

}  // namespace tombola::collector
