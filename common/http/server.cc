#include "common/http/server.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/descriptor.h"
#include "common/http/acceptor.h"
#include "common/http/connection.h"
#include "common/http/tls_context.h"
#include "common/rpc/address.h"
#include "common/rpc/tls.h"

namespace tombola::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

absl::StatusOr<std::vector<tcp::endpoint>> Resolve(const std::string& address, bool plain_text) {
  TOMBOLA_ASSIGN_OR_RETURN(const rpc::Address parsed, rpc::ParseAddress(address));
  const absl::Status beyond = absl::InvalidArgumentError(
      absl::StrCat(address, ": plain text needs a listening address on loopback"));
  if (plain_text && !rpc::IsLoopback(address)) return beyond;
  asio::io_context io;
  error_code error;
  const auto found =
      tcp::resolver(io).resolve(parsed.host, absl::StrCat(parsed.port),
                                tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on ", address, ": ", error.message()));
  }
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) {
    // A name may look like loopback and be another.
    if (plain_text && !entry.endpoint().address().is_loopback()) return beyond;
    endpoints.push_back(entry.endpoint());
  }
  return endpoints;
}

}  // namespace

struct Server::Parts {
  explicit Parts(ServerOptions options)
      : serving(std::make_shared<Serving>(
            std::min(options.limits.connections, MostConnectionDescriptors() / 4),
            options.limits.health_connections)),
        work(serving->io.get_executor()) {
    serving->router = std::move(options.router);
    serving->revocation = std::move(options.revocation);
    serving->tokens = std::move(options.tokens);
    serving->clock = std::move(options.clock);
    serving->token_only_roles = std::move(options.token_only_roles);
    serving->limits = options.limits;
  }

  void Take(tcp::socket socket) {
    const Room room = serving->connections.MakeRoom();
    if (room == Room::kNone) return;  // before anything is spent on it
    auto connection = MakeConnection(serving, std::move(socket),
                                     contexts == nullptr ? nullptr : contexts->Current(), room);
    if (serving->connections.Add(connection, room)) connection->Start();
  }

  absl::Status Listen(const std::string& address, const std::vector<tcp::endpoint>& endpoints) {
    absl::Status failure = absl::UnavailableError("no such address");
    for (tcp::endpoint endpoint : endpoints) {
      if (port != 0) endpoint.port(static_cast<unsigned short>(port));
      auto acceptor = Acceptor::Open(serving->io, endpoint,
                                     [this](tcp::socket socket) { Take(std::move(socket)); });
      if (!acceptor.ok()) {
        failure = acceptor.status();
        continue;
      }
      port = (*acceptor)->port();
      acceptors.push_back(*std::move(acceptor));
    }
    if (!acceptors.empty()) return absl::OkStatus();
    return absl::Status(failure.code(),
                        absl::StrCat("cannot listen on ", address, ": ", failure.message()));
  }

  const std::shared_ptr<Serving> serving;
  std::unique_ptr<TlsContexts> contexts;
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  int port = 0;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::vector<std::thread> threads;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<tcp::endpoint> endpoints,
                           Resolve(options.address, options.identity == nullptr));
  const std::string address = options.address;
  const int threads = options.threads;
  std::unique_ptr<TlsContexts> contexts;
  if (options.identity != nullptr) {
    TOMBOLA_ASSIGN_OR_RETURN(contexts, TlsContexts::Create(options.identity, options.revocation));
  }
  auto parts = std::make_unique<Parts>(std::move(options));
  parts->contexts = std::move(contexts);
  TOMBOLA_RETURN_IF_ERROR(parts->Listen(address, endpoints));
  for (int i = 0; i < threads; ++i) {
    parts->threads.emplace_back([serving = parts->serving.get()] { serving->io.run(); });
    pthread_setname_np(parts->threads.back().native_handle(), "http");
  }
  for (const auto& acceptor : parts->acceptors) acceptor->Start();
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() {
  Drain(absl::ZeroDuration());
  parts_->work.reset();
  for (std::thread& thread : parts_->threads) thread.join();
}

int Server::port() const { return parts_->port; }

void Server::Drain(absl::Duration patience) {
  for (const auto& acceptor : parts_->acceptors) acceptor->Stop();
  parts_->serving->connections.Drain();
  parts_->serving->connections.Wait(patience);
  parts_->serving->connections.Abort();
}

}  // namespace tombola::http
