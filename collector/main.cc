// tombola-collector: opens batches, aggregates them and answers questions about them.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "collector/daemon.h"
#include "common/base/clock.h"
#include "common/base/duration.h"
#include "common/rpc/flags.h"
#include "common/rpc/ready.h"
#include "common/rpc/server.h"

int main(int argc, char** argv) {
  umask(S_IRWXG | S_IRWXO);  // what a daemon writes is its owner's alone
  tombola::rpc::PrepareProcess();
  tombola::rpc::BlockTerminationSignals();
  tombola::collector::DaemonOptions options;
  int64_t answers_mib = options.max_answers_bytes >> 20;
  int ready_fd = -1;
  CLI::App app{"Opens batches of sealed reports, aggregates them and answers questions.",
               "tombola-collector"};
  app.add_option("--data-dir", options.data_directory, "Where everything is kept")->required();
  app.add_option("--listen-ingest", options.listen_ingest,
                 "host:port for the shuffler; port 0 takes a free one")
      ->required();
  app.add_option("--listen-query", options.listen_query,
                 "host:port for analysts and administrators; port 0 takes a free one")
      ->required();
  app.add_option("--cert", options.certificate, "PEM file: this server's certificate")->required();
  app.add_option("--key", options.private_key, "PEM file: its private key, mode 0600")->required();
  app.add_option("--roots", options.roots, "PEM file: who vouches for the shuffler and for people")
      ->required();
  app.add_option("--signing-key", options.signing_key,
                 "File: this collector's Ed25519 seed (tombola keys generate), mode 0600")
      ->required();
  app.add_option("--open-threads", options.open_threads,
                 "Threads that open reports; 0 takes one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--max-deliveries", options.max_deliveries,
                 "Batches that stream in at once; others are asked to wait")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--max-answers-mib", answers_mib,
                 "Memory for histograms that are computed or sent, about 208 bytes a value; beyond "
                 "it questions get RESOURCE_EXHAUSTED")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
  const auto add_time = [&app](const std::string& name, absl::Duration* time,
                               const std::string& help) {
    app.add_option_function<std::string>(
           name,
           [time](const std::string& text) {
             *time = tombola::ParseDuration(text).value_or(*time);
           },
           help)
        ->check([](const std::string& text) {
          return tombola::ParseDuration(text).has_value() ? std::string()
                                                          : "must be a duration such as 30d or 90m";
        })
        ->default_str(absl::FormatDuration(*time));
  };
  add_time("--key-lifetime", &options.key_times.lifetime,
           "How long devices seal to an HPKE key before the next one takes over");
  add_time("--key-announce", &options.key_times.announce,
           "How long before that the next key is in the list");
  add_time("--key-window", &options.key_times.window,
           "How long after its life reports under a key are still taken and held: more than a "
           "task's two retry windows and the time in which its batches fill");
  add_time("--key-delivery", &options.key_times.delivery,
           "How long after the window batches may still arrive; then the private key is destroyed");
  app.add_option("--ready-fd", ready_fd,
                 "File descriptor that gets one JSON line with the ports once calls are taken");
  if (const auto code = tombola::rpc::ParseFlags(app, argc, argv)) return *code;
  options.max_answers_bytes = answers_mib << 20;

  auto daemon =
      tombola::collector::Daemon::Start(options, std::make_shared<tombola::SystemClock>());
  if (!daemon.ok()) {
    std::cerr << "tombola-collector: " << daemon.status().message() << "\n";
    return tombola::rpc::StartExitCode(daemon.status());
  }
  tombola::rpc::SayReady(ready_fd, {{"ingest_port", (*daemon)->ingest_port()},
                                    {"query_port", (*daemon)->query_port()}});
  tombola::rpc::WaitForTerminationSignal();
  (*daemon)->Stop();
  return 0;
}
