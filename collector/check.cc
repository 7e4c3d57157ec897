#include "collector/check.h"

#include "collector/catalog/key_ring.h"
#include "collector/http/interface.h"
#include "common/base/status_macros.h"
#include "common/daemon/check_files.h"
#include "common/rpc/address.h"

namespace tombola::collector {

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-ingest", options.listen_ingest));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-query", options.listen_query));
  TOMBOLA_RETURN_IF_ERROR(CheckHttpOptions(options.http));
  TOMBOLA_RETURN_IF_ERROR(CheckTimes(options.key_times));
  return daemon::CheckFiles(options);
}

}  // namespace tombola::collector
