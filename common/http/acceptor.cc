#include "common/http/acceptor.h"

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <future>
#include <utility>

namespace tombola::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kPause(50);

}  // namespace

Acceptor::Acceptor(asio::io_context& io, Take take)
    : io_(io),
      take_(std::move(take)),
      acceptor_(asio::make_strand(io)),
      pause_(acceptor_.get_executor()) {}

absl::StatusOr<std::shared_ptr<Acceptor>> Acceptor::Open(asio::io_context& io,
                                                         const tcp::endpoint& endpoint, Take take) {
  std::shared_ptr<Acceptor> acceptor(new Acceptor(io, std::move(take)));
  if (const error_code error = acceptor->Listen(endpoint)) {
    return absl::UnavailableError(error.message());
  }
  return acceptor;
}

error_code Acceptor::Listen(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.protocol() == tcp::v6()) {
    acceptor_.set_option(asio::ip::v6_only(false), error);
  }
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  return error;
}

void Acceptor::Start() {
  asio::post(acceptor_.get_executor(), [self = shared_from_this()] { self->AcceptNext(); });
}

void Acceptor::Stop() {
  std::promise<void> stopped;
  asio::post(acceptor_.get_executor(), [&] {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    stopped.set_value();
  });
  stopped.get_future().wait();
}

void Acceptor::AcceptNext() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(asio::make_strand(io_),
                         [self = shared_from_this()](error_code error, tcp::socket socket) {
                           if (!self->acceptor_.is_open()) return;
                           if (!error) {
                             self->take_(std::move(socket));
                           } else if (error != asio::error::connection_aborted) {
                             return self->Pause();
                           }
                           self->AcceptNext();
                         });
}

void Acceptor::Pause() {
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this()](error_code) { self->AcceptNext(); });
}

}  // namespace tombola::http
