// tombola-shuffler: gathers sealed reports, permutes them and forwards them in batches.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/rpc/flags.h"
#include "common/rpc/ready.h"
#include "common/rpc/server.h"
#include "shuffler/daemon.h"

int main(int argc, char** argv) {
  umask(S_IRWXG | S_IRWXO);  // what a daemon writes is its owner's alone
  tombola::rpc::PrepareProcess();
  tombola::rpc::BlockTerminationSignals();
  tombola::shuffler::DaemonOptions options;
  int64_t memory_mib = 256;
  int64_t calls_mib = options.max_calls_bytes >> 20;
  int64_t connections_mib = options.max_connections_bytes >> 20;
  int64_t held_mib = options.store_limits.held_bytes >> 20;
  int64_t outbox_mib = options.store_limits.outbox_bytes >> 20;
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
  const CLI::Range any(int64_t{1}, int64_t{1} << 40);
  app.add_option(
         "--max-calls", options.max_calls,
         "Calls of devices in flight at once, shared fairly among tasks; beyond it they get "
         "RESOURCE_EXHAUSTED and try again")
      ->check(any)
      ->capture_default_str();
  app.add_option("--max-calls-mib", calls_mib, "Memory that calls in flight hold, likewise")
      ->check(CLI::Range(32, 1024))
      ->capture_default_str();
  app.add_option(
         "--max-connections", options.max_connections,
         "Connections at once; further ones are closed at once. Never more than the system's "
         "limit of open files leaves")
      ->check(CLI::Range(16, 1 << 24))
      ->capture_default_str();
  app.add_option("--max-connections-mib", connections_mib,
                 "Memory for connections and messages on their way in; beyond it connections and "
                 "calls are dropped")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
  app.add_option("--max-held-reports", options.store_limits.held_reports,
                 "Reports that wait for their batch, of all tasks; beyond it new submissions get "
                 "RESOURCE_EXHAUSTED, retries of what is held are still acknowledged")
      ->check(any)
      ->capture_default_str();
  const CLI::Option* const per_task = app.add_option(
      "--max-held-reports-per-task", options.store_limits.held_reports_per_task,
      "The same of one task, at most --max-held-reports; it also gets this share of --max-held-mib "
      "and --max-digests. A task that needs a larger batch is not served");
  app.get_option("--max-held-reports-per-task")->check(any)->capture_default_str();
  app.add_option("--max-held-mib", held_mib, "Disk for reports that wait for their batch")
      ->check(any)
      ->capture_default_str();
  app.add_option("--max-outbox-mib", outbox_mib,
                 "Disk for batches that the collector has not taken; beyond it new submissions get "
                 "RESOURCE_EXHAUSTED until it does")
      ->check(any)
      ->capture_default_str();
  app.add_option("--max-digests", options.store_limits.digests,
                 "Submissions and reports remembered to recognise retries, 19 to 39 bytes of "
                 "memory each; beyond it new ones wait until a retry window is over")
      ->check(any)
      ->capture_default_str();
  app.add_flag("--plain-text-on-loopback", options.plain_text_on_loopback,
               "Devices come without TLS; refused unless --listen is on loopback");
  app.add_option("--ready-fd", ready_fd,
                 "File descriptor that gets one JSON line with the port once calls are taken");
  if (const auto code = tombola::rpc::ParseFlags(app, argc, argv)) return *code;
  options.memory_limit_bytes = memory_mib << 20;
  tombola::shuffler::StoreLimits& held = options.store_limits;
  if (per_task->count() == 0) {
    held.held_reports_per_task = std::min(held.held_reports_per_task, held.held_reports);
  }
  options.max_calls_bytes = calls_mib << 20;
  options.max_connections_bytes = connections_mib << 20;
  options.store_limits.held_bytes = held_mib << 20;
  options.store_limits.outbox_bytes = outbox_mib << 20;

  auto daemon = tombola::shuffler::Daemon::Start(options, std::make_shared<tombola::SystemClock>());
  if (!daemon.ok()) {
    std::cerr << "tombola-shuffler: " << daemon.status().message() << "\n";
    return tombola::rpc::StartExitCode(daemon.status());
  }
  tombola::rpc::SayReady(ready_fd, {{"port", (*daemon)->port()}});
  tombola::rpc::WaitForTerminationSignal();
  (*daemon)->Stop();
  return 0;
}
