#include "collector/check.h"

#include "collector/catalog/key_ring.h"
#include "collector/http/interface.h"
#include "common/base/status_macros.h"
#include "common/rpc/address.h"
#include "common/rpc/check_files.h"

namespace tombola::collector {

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::ParseAddress(options.listen_ingest).status());
  TOMBOLA_RETURN_IF_ERROR(rpc::ParseAddress(options.listen_query).status());
  TOMBOLA_RETURN_IF_ERROR(CheckHttpOptions(options.http));
  TOMBOLA_RETURN_IF_ERROR(CheckTimes(options.key_times));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckDataDirectory(options.data_directory));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckSigningKey(options.signing_key));
  return rpc::CheckTlsFiles({.certificate = options.certificate,
                             .private_key = options.private_key,
                             .roots = options.roots});
}

}  // namespace tombola::collector
