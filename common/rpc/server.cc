#include "common/rpc/server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/rpc/arguments.h"
#include "common/rpc/calls_under_way.h"
#include "common/rpc/grpc_log.h"

namespace tombola::rpc {
namespace {

sigset_t TerminationSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

void Limit(const ConnectionLimits& limits, grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota;
  quota.Resize(static_cast<size_t>(limits.memory_bytes));
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.streams_per_connection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, limits.metadata_bytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, Milliseconds(limits.handshake));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(limits.idle));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, Milliseconds(limits.age));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, Milliseconds(limits.age_grace));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(limits.keepalive));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(limits.keepalive_timeout));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Peers may watch us as closely as we watch them.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Milliseconds(limits.keepalive));
}

}  // namespace

absl::StatusOr<Server> Server::Start(const ServerOptions& options) {
  CountGrpcLog();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  TOMBOLA_ASSIGN_OR_RETURN(auto listener,
                           Listener::Open(options.address, options.limits.connections));
  auto acceptor = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, options.credentials);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  for (const auto& [name, value] : kIdentityOnly) builder.AddChannelArgument(name, value);
  Limit(options.limits, builder);
  auto calls = std::make_shared<CallsUnderWay>();
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> counters;
  counters.push_back(CountCalls(calls));
  if (options.answered) counters.push_back(TellAnswered(options.answered));
  builder.experimental().SetInterceptorCreators(std::move(counters));
  for (grpc::Service* service : options.services) {
    TOMBOLA_CHECK(!service->has_synchronous_methods());
    builder.RegisterService(service);
  }
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    return absl::UnavailableError(absl::StrCat("cannot serve on ", options.address));
  }
  listener->Start(std::move(acceptor));
  return Server(options.credentials, std::move(calls), std::move(server), std::move(listener));
}

void Server::Drain(absl::Duration patience) {
  listener_.reset();
  // gRPC would wait until every peer has answered its goodbye, and one that is idle looks at its
  // connection only every few seconds: without calls there is nothing to wait for.
  std::thread closer([this] {
    if (calls_->WaitForNone()) grpc_server_cancel_all_calls(server_->c_server());
  });
  server_->Shutdown(absl::ToChronoTime(absl::Now() + patience));
  calls_->Abandon();
  closer.join();
  server_->Wait();
}

void PrepareProcess() {
  // A peer could fill the log with Protobuf's complaints about its strings.
  google::protobuf::SetLogHandler(nullptr);
  // gRPC's own debug lines tell when a device connected, whatever GRPC_VERBOSITY asks for.
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
  signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

void BlockTerminationSignals() {
  const sigset_t set = TerminationSignals();
  TOMBOLA_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
}

}  // namespace tombola::rpc
