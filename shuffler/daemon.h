// The shuffler, wired together.
#ifndef TOMBOLA_SHUFFLER_DAEMON_H_
#define TOMBOLA_SHUFFLER_DAEMON_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/daemon/options.h"
#include "common/http/port_options.h"
#include "shuffler/store/limits.h"

namespace tombola::rpc {
struct ConnectionLimits;
}  // namespace tombola::rpc

namespace tombola::shuffler {

// The roots vouch for operators and for the collector.
struct DaemonOptions : daemon::Options {
  std::string listen;              // host:port for devices and the operator; port 0: any free one
  std::string collector;           // host:port of the collector's ingest port
  std::string collector_key_file;  // the collector's long-term public key, 64 hexadecimal digits
  int64_t memory_limit_bytes = 256 << 20;  // of one release; a larger batch is permuted on disk
  int64_t max_fakes = 1000000;             // in a batch; about 0.1 ms each to seal
  // How soon a new task is noticed. Strangers who ask for what there is not make it no sooner.
  absl::Duration catalog_period = absl::Seconds(1);
  // What calls of devices may hold at once; beyond it they get RESOURCE_EXHAUSTED and a time to
  // wait.
  int64_t max_calls = 1024;
  int64_t max_calls_bytes = 128 << 20;        // of memory; 32 MiB to 1 GiB
  int64_t max_lookups_bytes = 64 << 20;       // of tasks and key lists that are being sent
  int max_connections = 10000;                // further ones are closed at once
  int64_t max_connections_bytes = 256 << 20;  // gRPC's own memory, for connections and buffers
  StoreLimits store_limits;
  absl::Duration call_patience = absl::Seconds(60);   // then a device's call is cancelled
  absl::Duration unread_patience = absl::Seconds(5);  // for a small answer that nobody reads
  bool plain_text_on_loopback = false;                // devices may come without TLS; loopback only
  http::PortOptions http;                             // of /healthz, /readyz and /metrics
};

// What connections to the port may hold. Devices are strangers: a connection is used for one call
// or a few, then it may go.
rpc::ConnectionLimits PortLimits(const DaemonOptions& options);

// Started: takes calls, holds, releases and forwards until it is stopped or destroyed.
class Daemon {
 public:
  // `steady` is as a BootClock: against it steps of the wall clock are recognised.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const DaemonOptions& options,
                                                       std::shared_ptr<const Clock> wall,
                                                       std::shared_ptr<const SteadyClock> steady);
  ~Daemon();

  int port() const;
  // Nothing without listen_http.
  std::optional<int> http_port() const;
  // The ports by their names, for whoever started it.
  std::vector<std::pair<std::string, int>> Ports() const;
  // What it does, for systemd.
  std::string Serving() const;
  // Reads the files of certificates, revocation lists and tokens at once and logs `reloaded`;
  // nothing else changes.
  void Reload();
  // Takes no new calls, ends those under way, and leaves everything accepted on disk. Idempotent.
  void Stop();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DAEMON_H_
