// An HTTP/1.1 server: TLS, client certificates or bearer tokens, GET and HEAD.
#ifndef TOMBOLA_COMMON_HTTP_SERVER_H_
#define TOMBOLA_COMMON_HTTP_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/http/router.h"
#include "common/http/tokens.h"
#include "common/tls/identity.h"
#include "common/tls/revocation.h"

namespace tombola::http {

struct ServerLimits {
  // At most, and at most a quarter of the descriptors that the process may have for connections.
  // When there are as many, a stranger, who has shown no role, makes room for the next: the one
  // that the server has waited for the longest, to say something or to read its answer. Without
  // such a one the next gets a place below.
  int connections = 1000;
  // Further ones, for an answer about the server's health each and nothing else: whoever watches it
  // must hear of a server that is full. The newest takes the place of the oldest.
  int health_connections = 32;
  int header_bytes = 16 << 10;                   // of a request; more: 431
  absl::Duration handshake = absl::Seconds(10);  // else the connection is closed
  absl::Duration request = absl::Seconds(10);    // from its first byte to its last
  absl::Duration idle = absl::Seconds(60);       // between requests
  absl::Duration write = absl::Minutes(2);       // without progress of an answer
  absl::Duration answer = absl::Minutes(10);     // from its first byte to its last
  // The same for strangers, who get small answers and the page's files only.
  absl::Duration stranger_write = absl::Seconds(5);
  absl::Duration stranger_answer = absl::Minutes(1);

  int all_connections() const { return connections + health_connections; }
};

struct ServerOptions {
  std::string address;  // host:port; port 0 takes a free one
  // None: plain text, which needs a loopback address.
  std::shared_ptr<tls::Identity> identity;
  std::shared_ptr<tls::Revocation> revocation = nullptr;                 // none: nothing is revoked
  std::shared_ptr<Tokens> tokens;                                        // none: certificates alone
  std::shared_ptr<const Clock> clock = std::make_shared<SystemClock>();  // by which tokens expire
  // Roles that count by a token alone: the file of tokens is the daemon's own, while an authority
  // may have given a certificate for another daemon.
  std::vector<std::string> token_only_roles;
  Router router;
  int threads = 2;
  ServerLimits limits;
};

// Event-driven: a slow peer costs memory, not a thread. A request without a role is not refused
// here but by the router. A certificate that is revoked ends the handshake, and a connection that
// is open with the next request, which gets 401.
class Server {
 public:
  // InvalidArgument: not an address, or plain text beyond loopback. Unavailable: it cannot be
  // listened on.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  ~Server();

  int port() const;
  // Takes no new connections, lets requests under way end for a while. Idempotent.
  void Drain(absl::Duration patience);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_SERVER_H_
