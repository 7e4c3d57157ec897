// One connection: its requests one after the other. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_CONNECTION_H_
#define TOMBOLA_COMMON_HTTP_CONNECTION_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/http/connections.h"
#include "common/http/router.h"
#include "common/http/server.h"
#include "common/http/tls_context.h"
#include "common/http/tokens.h"

namespace tombola::http {

// What all connections of a server share. Each keeps it alive, so that an answer that comes when
// the server is gone finds its executor still there.
struct Serving {
  Serving(int limit, int health_limit) : connections(limit, health_limit) {}

  boost::asio::io_context io;
  Router router;
  std::shared_ptr<tls::Revocation> revocation;
  std::shared_ptr<Tokens> tokens;
  std::shared_ptr<const Clock> clock;
  std::vector<std::string> token_only_roles;
  ServerLimits limits;
  Connections connections;
};

// The socket's executor is a strand of `serving->io`. Without a context: plain text. With room for
// health only it answers one request, about health, and ends; any other gets 503.
//
// Waits are bounded by the limits, but for the time that a handler takes to answer. Requests that
// come while one is under way wait in the socket and in a buffer of the size of a head. An
// end by the server closes its half first and reads on for a moment, so that what it said last is
// not lost by a reset (RFC 9112, section 9.6).
std::shared_ptr<Connection> MakeConnection(std::shared_ptr<Serving> serving,
                                           boost::asio::ip::tcp::socket socket, TlsContext context,
                                           Room room);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_CONNECTION_H_
