// The sockets that take connections. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_ACCEPTOR_H_
#define TOMBOLA_COMMON_HTTP_ACCEPTOR_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace tombola::http {

// Listens on one address. When the system has no descriptor for a connection it pauses and goes on.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  // The socket's executor is a strand of its own.
  using Take = std::function<void(boost::asio::ip::tcp::socket)>;

  // Unavailable: in use, or not this machine's.
  static absl::StatusOr<std::shared_ptr<Acceptor>> Open(
      boost::asio::io_context& io, const boost::asio::ip::tcp::endpoint& endpoint, Take take);

  int port() const { return port_; }
  void Start();
  // From any thread but the server's; when it returns, nothing listens any more.
  void Stop();

 private:
  Acceptor(boost::asio::io_context& io, Take take);
  boost::system::error_code Listen(const boost::asio::ip::tcp::endpoint& endpoint);
  void AcceptNext();
  void Pause();

  boost::asio::io_context& io_;
  const Take take_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;  // on the strand of the acceptor
  int port_ = 0;
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_ACCEPTOR_H_
