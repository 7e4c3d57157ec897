#include "common/rpc/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/disk/descriptor.h"
#include "common/rpc/address.h"

namespace tombola::rpc {
namespace {

constexpr int kOwnFiles = 64;  // what a process has open beside its connections

int HighestDescriptor(int max_connections) {
  return std::min(MostConnectionDescriptors(), max_connections + kOwnFiles);
}

void Set(int socket, int level, int option, int value) {
  // Each has a harmless default.
  (void)setsockopt(socket, level, option, &value, sizeof(value));
}

int PortOf(int socket) {
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  TOMBOLA_CHECK(getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &length) == 0);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

void SetPort(sockaddr* address, int port) {
  const auto network = htons(static_cast<uint16_t>(port));
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = network;
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = network;
  }
}

// A listening socket, or -1 with errno.
int Listen(const addrinfo& where) {
  const int socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  // No SO_REUSEPORT: two daemons must never share an address by accident.
  Set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  Set(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // its connections inherit it
  if (where.ai_family == AF_INET6) Set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(socket, where.ai_addr, where.ai_addrlen) == 0 && listen(socket, SOMAXCONN) == 0) {
    return socket;
  }
  const int error = errno;
  close(socket);
  errno = error;
  return -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(const std::string& address,
                                                         int max_connections) {
  TOMBOLA_ASSIGN_OR_RETURN(const Address parsed, ParseAddress(address));
  std::unique_ptr<Listener> listener(new Listener(max_connections));
  const absl::Status bound = listener->Bind(parsed.host, absl::StrCat(parsed.port));
  if (!bound.ok()) {
    return absl::Status(bound.code(),
                        absl::StrCat("cannot listen on ", address, ": ", bound.message()));
  }
  return listener;
}

Listener::Listener(int max_connections) : highest_(HighestDescriptor(max_connections)) {
  wake_ = eventfd(0, EFD_CLOEXEC);
  TOMBOLA_CHECK(wake_ >= 0);
}

absl::Status Listener::Bind(const std::string& host, const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) return absl::InvalidArgumentError(gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  absl::Status failure = absl::UnavailableError("no such address");
  for (const addrinfo* where = found; where != nullptr; where = where->ai_next) {
    if (port_ != 0) SetPort(where->ai_addr, port_);
    const int socket = Listen(*where);
    if (socket < 0) {
      failure = absl::UnavailableError(std::strerror(errno));
      continue;
    }
    sockets_.push_back(socket);
    port_ = PortOf(socket);
  }
  return sockets_.empty() ? failure : absl::OkStatus();
}

Listener::~Listener() {
  const uint64_t one = 1;
  TOMBOLA_CHECK(write(wake_, &one, sizeof(one)) == sizeof(one));
  if (thread_.joinable()) thread_.join();
  for (const int socket : sockets_) close(socket);
  close(wake_);
}

void Listener::Start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor) {
  acceptor_ = std::move(acceptor);
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "listen");
}

void Listener::Run() {
  std::vector<pollfd> watched;
  for (const int socket : sockets_) watched.push_back({socket, POLLIN, 0});
  watched.push_back({wake_, POLLIN, 0});
  while (true) {
    if (poll(watched.data(), watched.size(), -1) < 0) continue;  // a signal
    if (watched.back().revents != 0) return;
    for (size_t i = 0; i < sockets_.size(); ++i) {
      if (watched[i].revents != 0) Take(watched[i].fd);
    }
  }
}

void Listener::Take(int listening) {
  const int connection = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (connection < 0) {
    // The peer is gone again, or the system is short of something: the next look is soon enough.
    pollfd pause = {wake_, POLLIN, 0};
    const bool short_of = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    if (short_of) (void)poll(&pause, 1, 50);
    return;
  }
  if (connection >= highest_) {
    close(connection);
    return;
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listening;
  parameters.fd = connection;
  acceptor_->HandleNewConnection(&parameters);
}

}  // namespace tombola::rpc
