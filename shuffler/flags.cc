#include "shuffler/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/daemon/options.h"
#include "common/http/port_options.h"
#include "common/rpc/address.h"
#include "common/rpc/tls.h"
#include "shuffler/catalog/public_key_file.h"

namespace tombola::shuffler {

Flags::Flags()
    : daemon::Flags(
          "tombola-shuffler",
          "Gathers sealed reports of devices, permutes them and forwards them in batches."),
      calls_mib_(options_.max_calls_bytes >> 20),
      lookups_mib_(options_.max_lookups_bytes >> 20),
      connections_mib_(options_.max_connections_bytes >> 20),
      held_mib_(options_.store_limits.held_bytes >> 20),
      outbox_mib_(options_.store_limits.outbox_bytes >> 20) {
  AddDataDirectory(options_);
  app_.add_option("--listen", options_.listen, "host:port for devices; port 0 takes a free one")
      ->required();
  AddCertificates(options_, "collector and operators");
  app_.add_option("--collector", options_.collector, "host:port of the collector's ingest port")
      ->required();
  app_.add_option("--collector-key", options_.collector_key_file,
                  "File: the collector's long-term public key in hexadecimal")
      ->required();
  AddRevoked(options_);
  AddSigningKey(options_, "this shuffler");
  app_.add_option("--memory-limit-mib", memory_mib_, "A larger batch is permuted on disk")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app_.add_option("--max-fakes", options_.max_fakes,
                  "Tasks that want more fakes in a batch (murs) are not served; about 0.1 ms each")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  const CLI::Range any(int64_t{1}, int64_t{1} << 40);
  app_.add_option(
          "--max-calls", options_.max_calls,
          "Submissions of devices in flight at once, and as many calls for tasks and keys, each "
          "shared fairly among tasks; beyond it they get RESOURCE_EXHAUSTED and try again")
      ->check(any)
      ->capture_default_str();
  app_.add_option("--max-calls-mib", calls_mib_, "Memory that submissions in flight hold, likewise")
      ->check(CLI::Range(32, 1024))
      ->capture_default_str();
  app_.add_option("--max-lookups-mib", lookups_mib_,
                  "Memory that tasks and key lists on their way to devices hold, likewise; the "
                  "largest task takes 33")
      ->check(CLI::Range(34, 1024))
      ->capture_default_str();
  app_.add_option(
          "--max-connections", options_.max_connections,
          "Connections at once; further ones are closed at once. Never more than the system's "
          "limit of open files leaves")
      ->check(CLI::Range(16, 1 << 24))
      ->capture_default_str();
  app_.add_option("--max-connections-mib", connections_mib_,
                  "Memory for connections and messages on their way in; beyond it connections and "
                  "calls are dropped")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
  app_.add_option("--max-held-reports", options_.store_limits.held_reports,
                  "Reports that wait for their batch, of all tasks; beyond it new submissions get "
                  "RESOURCE_EXHAUSTED, retries of what is held are still acknowledged")
      ->check(any)
      ->capture_default_str();
  CLI::Option* const per_task = app_.add_option(
      "--max-held-reports-per-task", options_.store_limits.held_reports_per_task,
      "The same of one task, at most --max-held-reports; it also gets this share of --max-held-mib "
      "and --max-digests. A task that needs a larger batch is not served");
  per_task->check(any)->capture_default_str();
  app_.add_option("--max-held-mib", held_mib_, "Disk for reports that wait for their batch")
      ->check(any)
      ->capture_default_str();
  app_.add_option(
          "--max-outbox-mib", outbox_mib_,
          "Disk for batches that the collector has not taken; beyond it new submissions get "
          "RESOURCE_EXHAUSTED until it does")
      ->check(any)
      ->capture_default_str();
  app_.add_option("--max-digests", options_.store_limits.digests,
                  "Submissions and reports remembered to recognise retries, 19 to 39 bytes of "
                  "memory each; beyond it new ones wait until a retry window is over")
      ->check(any)
      ->capture_default_str();
  app_.add_flag("--plain-text-on-loopback", options_.plain_text_on_loopback,
                "Devices come without TLS; refused unless --listen is on loopback");
  app_.add_option("--listen-http", options_.http.listen,
                  "host:port of /healthz, /readyz and /metrics; without it there is no such port")
      ->capture_default_str();
  app_.add_flag("--http-plaintext", options_.http.plaintext,
                "That port is without TLS; refused unless --listen-http is on loopback");
  app_.add_option("--http-tokens", options_.http.tokens,
                  "File with the digests of tokens that may read /metrics, mode 0600;"
                  " certificates of operators always may")
      ->capture_default_str();
  AddLogLevelAndReadyFd();
  app_.parse_complete_callback([this, per_task] {
    StoreLimits& held = options_.store_limits;
    if (per_task->count() > 0) return;
    held.held_reports_per_task = std::min(held.held_reports_per_task, held.held_reports);
    per_task->default_str(std::to_string(held.held_reports_per_task));
  });
}

DaemonOptions Flags::Options() const {
  DaemonOptions options = options_;
  options.memory_limit_bytes = memory_mib_ << 20;
  options.max_calls_bytes = calls_mib_ << 20;
  options.max_lookups_bytes = lookups_mib_ << 20;
  options.max_connections_bytes = connections_mib_ << 20;
  options.store_limits.held_bytes = held_mib_ << 20;
  options.store_limits.outbox_bytes = outbox_mib_ << 20;
  return options;
}

absl::Status CheckOptions(const DaemonOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(rpc::CheckListeningAddress("--listen", options.listen));
  const absl::StatusOr<rpc::Address> collector = rpc::ParseAddress(options.collector);
  TOMBOLA_RETURN_IF_ERROR(daemon::OfSetting("--collector", collector.status()));
  if (collector->port == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--collector = ", options.collector, " needs a port above 0"));
  }
  if (options.plain_text_on_loopback) {
    TOMBOLA_RETURN_IF_ERROR(rpc::PlainTextOnLoopback(options.listen).status());
  }
  TOMBOLA_RETURN_IF_ERROR(http::CheckPortOptions(options.http));
  const StoreLimits& limits = options.store_limits;
  if (limits.held_reports_per_task > limits.held_reports) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-held-reports-per-task = ", limits.held_reports_per_task,
                     " must be at most --max-held-reports = ", limits.held_reports));
  }
  TOMBOLA_RETURN_IF_ERROR(
      daemon::OfSetting("--collector-key", ReadPublicKey(options.collector_key_file).status()));
  TOMBOLA_RETURN_IF_ERROR(daemon::OfSetting(
      "--cert", daemon::CheckCertificateRole(options.certificate, kRoleShuffler)));
  return daemon::CheckFiles(options);
}

}  // namespace tombola::shuffler
