// tombola-shuffler: gathers sealed reports, permutes them and forwards them in batches.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/rpc/flags.h"
#include "common/rpc/ready.h"
#include "common/rpc/server.h"
#include "shuffler/daemon.h"

int main(int argc, char** argv) {
  tombola::rpc::PrepareProcess();
  tombola::rpc::BlockTerminationSignals();
  tombola::shuffler::DaemonOptions options;
  int64_t memory_mib = 256;
  int ready_fd = -1;
  CLI::App app{"Gathers sealed reports of devices, permutes them and forwards them in batches.",
               "tombola-shuffler"};
  app.add_option("--data-dir", options.data_directory, "Where everything is kept")->required();
  app.add_option("--listen", options.listen, "host:port for devices; port 0 takes a free one")
      ->required();
  app.add_option("--cert", options.certificate, "PEM file: this server's certificate")->required();
  app.add_option("--key", options.private_key, "PEM file: its private key, mode 0600")->required();
  app.add_option("--roots", options.roots, "PEM file: who vouches for collector and operators")
      ->required();
  app.add_option("--collector", options.collector, "host:port of the collector's ingest port")
      ->required();
  app.add_option("--collector-key", options.collector_key_file,
                 "File: the collector's long-term public key in hexadecimal")
      ->required();
  app.add_option("--signing-key", options.signing_key,
                 "File: this shuffler's Ed25519 seed (tombola keys generate), mode 0600")
      ->required();
  app.add_option("--memory-limit-mib", memory_mib, "A larger batch is permuted on disk")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--max-fakes", options.max_fakes,
                 "Tasks that want more fakes in a batch (murs) are not served; about 0.1 ms each")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--plain-text-on-loopback", options.plain_text_on_loopback,
               "Devices come without TLS; refused unless --listen is on loopback");
  app.add_option("--ready-fd", ready_fd,
                 "File descriptor that gets one JSON line with the port once calls are taken");
  if (const auto code = tombola::rpc::ParseFlags(app, argc, argv)) return *code;
  options.memory_limit_bytes = memory_mib << 20;

  auto daemon = tombola::shuffler::Daemon::Start(options, std::make_shared<tombola::SystemClock>());
  if (!daemon.ok()) {
    std::cerr << "tombola-shuffler: " << daemon.status().message() << "\n";
    return daemon.status().code() == absl::StatusCode::kInvalidArgument ? 2 : 1;
  }
  tombola::rpc::SayReady(ready_fd, {{"port", (*daemon)->port()}});
  tombola::rpc::WaitForTerminationSignal();
  (*daemon)->Stop();
  return 0;
}
