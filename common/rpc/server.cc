#include "common/rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server_builder.h>
#include <pthread.h>
#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "common/base/check.h"

namespace tombola::rpc {
namespace {

sigset_t TerminationSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

absl::StatusOr<Server> Server::Start(const ServerOptions& options) {
  static const bool plugins = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  TOMBOLA_CHECK(plugins);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.address, options.credentials, &port);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  // Two daemons must never share an address by accident.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  for (grpc::Service* service : options.services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", options.address));
  }
  return Server(std::move(server), port);
}

void Server::Drain(absl::Duration patience) {
  server_->Shutdown(absl::ToChronoTime(absl::Now() + patience));
  server_->Wait();
}

void PrepareProcess() {
  signal(SIGPIPE, SIG_IGN);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

void BlockTerminationSignals() {
  const sigset_t set = TerminationSignals();
  TOMBOLA_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
}

int WaitForTerminationSignal() {
  const sigset_t set = TerminationSignals();
  int signal = 0;
  TOMBOLA_CHECK(sigwait(&set, &signal) == 0);
  return signal;
}

}  // namespace tombola::rpc
