#include "shuffler/check.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/http/tokens.h"
#include "common/rpc/address.h"
#include "common/rpc/check_files.h"
#include "common/rpc/tls.h"
#include "shuffler/catalog/public_key_file.h"

namespace tombola::shuffler {

namespace {

absl::Status CheckHttp(const DaemonOptions& options) {
  if (options.listen_http.empty()) {
    if (!options.http_plaintext && options.http_tokens.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--http-plaintext and --http-tokens need --listen-http, the port that they are about");
  }
  TOMBOLA_RETURN_IF_ERROR(rpc::ParseAddress(options.listen_http).status());
  if (options.http_plaintext) {
    TOMBOLA_RETURN_IF_ERROR(rpc::PlainTextOnLoopback(options.listen_http).status());
  }
  if (options.http_tokens.empty()) return absl::OkStatus();
  return http::Tokens::Load(options.http_tokens).status();
}

}  // namespace

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::ParseAddress(options.listen).status());
  TOMBOLA_ASSIGN_OR_RETURN(const rpc::Address collector, rpc::ParseAddress(options.collector));
  if (collector.port == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--collector = ", options.collector, " needs a port above 0"));
  }
  if (options.plain_text_on_loopback) {
    TOMBOLA_RETURN_IF_ERROR(rpc::PlainTextOnLoopback(options.listen).status());
  }
  TOMBOLA_RETURN_IF_ERROR(CheckHttp(options));
  const StoreLimits& limits = options.store_limits;
  if (limits.held_reports_per_task > limits.held_reports) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-held-reports-per-task = ", limits.held_reports_per_task,
                     " must be at most --max-held-reports = ", limits.held_reports));
  }
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckDataDirectory(options.data_directory));
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckSigningKey(options.signing_key));
  TOMBOLA_RETURN_IF_ERROR(ReadPublicKey(options.collector_key_file).status());
  return rpc::CheckTlsFiles({.certificate = options.certificate,
                             .private_key = options.private_key,
                             .roots = options.roots});
}

}  // namespace tombola::shuffler
