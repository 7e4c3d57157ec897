// tombola-discard: the shuffler's server with a handler that acknowledges at once and keeps
// nothing. What it reaches is what gRPC and TLS leave for a shuffler.
#include <CLI/CLI.hpp>
#include <string>

#include "common/base/ids.h"
#include "common/config/parse_flags.h"
#include "common/daemon/run.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/server.h"
#include "common/tls/identity.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::bench {
namespace {

class DiscardingService final : public v1::Shuffler::CallbackService {
 public:
  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const v1::SubmitRequest* request,
                                   v1::SubmitResponse* response) override {
    const size_t submissions = request->submission_ids().size() / sizeof(SubmissionId);
    for (size_t i = 0; i < submissions; ++i) response->add_outcomes(v1::OUTCOME_ACCEPTED);
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

// The shuffler's own limits on connections (shuffler/daemon.cc).
rpc::ConnectionLimits Limits() {
  rpc::ConnectionLimits limits;
  limits.idle = absl::Minutes(2);
  limits.age = absl::Minutes(5);
  return limits;
}

int Main(int argc, char** argv) {
  rpc::PrepareProcess();
  daemon::BlockDaemonSignals();
  std::string listen = "127.0.0.1:0";
  tls::Files files;
  int ready_fd = -1;
  CLI::App app{"Acknowledges submissions and discards them.", "tombola-discard"};
  app.add_option("--listen", listen, "host:port; port 0 takes a free one")->capture_default_str();
  app.add_option("--cert", files.certificate, "PEM file: this server's certificate")->required();
  app.add_option("--key", files.private_key, "PEM file: its private key")->required();
  app.add_option("--roots", files.roots, "PEM file: who vouches for devices")->required();
  app.add_option("--ready-fd", ready_fd, "Gets one JSON line with the port");
  if (const auto code = config::ParseFlags(app, argc, argv)) return *code;
  const auto identity = tls::Identity::Load(files, {});
  if (!identity.ok()) return daemon::SayNotStarted(app, identity.status());
  DiscardingService service;
  auto server = rpc::Server::Start(
      {.address = listen,
       .credentials = rpc::LiveServerTls(*identity, rpc::ClientCertificate::kOptional),
       .services = {&service},
       .limits = Limits()});
  if (!server.ok()) return daemon::SayNotStarted(app, server.status());
  daemon::SayReady(ready_fd, {{"port", server->port()}});
  daemon::ServeUntilTerminated("discarding", [] {});
  server->Drain(absl::Seconds(5));
  return 0;
}

}  // namespace
}  // namespace tombola::bench

int main(int argc, char** argv) { return tombola::bench::Main(argc, argv); }
