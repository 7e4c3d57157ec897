// An HTTP port as flags describe it.
#ifndef TOMBOLA_COMMON_HTTP_PORT_OPTIONS_H_
#define TOMBOLA_COMMON_HTTP_PORT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"

namespace tombola::http {

struct PortOptions {
  std::string listen;      // host:port; port 0: any free one; empty: no HTTP
  bool plaintext = false;  // without TLS, which needs a loopback address
  std::string tokens;      // file of bearer tokens; empty: certificates alone
};

// What can be said of them without listening: --listen-http, --http-plaintext and --http-tokens.
absl::Status CheckPortOptions(const PortOptions& options);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_PORT_OPTIONS_H_
