#include "common/http/port_options.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/http/token_file.h"
#include "common/rpc/address.h"
#include "common/rpc/tls.h"

namespace tombola::http {

absl::Status CheckPortOptions(const PortOptions& options) {
  if (options.listen.empty()) {
    if (!options.plaintext && options.tokens.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--http-plaintext and --http-tokens need --listen-http, the port that they are about");
  }
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen-http", options.listen));
  if (options.plaintext && !rpc::IsLoopback(options.listen)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--http-plaintext: --listen-http must be on loopback, is ", options.listen));
  }
  if (options.tokens.empty()) return absl::OkStatus();
  const absl::Status tokens = ReadTokenFile(options.tokens).status();
  if (tokens.ok()) return tokens;
  return absl::Status(tokens.code(), absl::StrCat("--http-tokens: ", tokens.message()));
}

}  // namespace tombola::http
