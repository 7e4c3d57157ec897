// The collector, wired together.
#ifndef TOMBOLA_COLLECTOR_DAEMON_H_
#define TOMBOLA_COLLECTOR_DAEMON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/catalog/key_ring.h"
#include "collector/http/interface.h"
#include "common/base/clock.h"
#include "common/daemon/options.h"

namespace tombola::rpc {
struct ConnectionLimits;
}  // namespace tombola::rpc

namespace tombola::collector {

// The roots vouch for the shuffler, analysts and administrators.
struct DaemonOptions : daemon::Options {
  std::string listen_ingest;  // host:port for the shuffler; port 0: any free one
  std::string listen_query;   // host:port for analysts and administrators
  int open_threads = 0;       // that open reports; 0: one for each core
  int max_deliveries = 4;     // streams of batches at once; others are asked to wait
  int64_t max_answers_bytes = int64_t{4} << 30;  // memory of histograms being computed or sent
  // A delivery that has not shown its manifest, one without progress, or an answer that nobody
  // reads, is cancelled after this.
  absl::Duration header_patience = absl::Seconds(5);
  absl::Duration stream_patience = absl::Minutes(2);
  absl::Duration answer_patience = absl::Minutes(10);
  KeyTimes key_times;  // how long HPKE keys live
  // Seals the noise of trusted totals; made when it is first needed. Empty: in data_directory.
  std::string totals_key_file;
  HttpOptions http;
};

// What connections to the two gRPC ports may hold. A delivery that goes on is cut only after a day.
rpc::ConnectionLimits QueryPortLimits(const DaemonOptions& options);
rpc::ConnectionLimits IngestPortLimits(const DaemonOptions& options);

// Started: takes batches and questions until it is stopped or destroyed.
class Daemon {
 public:
  // `steady` is as a BootClock: against it steps of the wall clock are recognised.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const DaemonOptions& options,
                                                       std::shared_ptr<const Clock> wall,
                                                       std::shared_ptr<const SteadyClock> steady);
  ~Daemon();

  int ingest_port() const;
  int query_port() const;
  int http_port() const;  // 0: there is no HTTP
  // The ports by their names, for whoever started it.
  std::vector<std::pair<std::string, int>> Ports() const;
  // What it does, for systemd.
  std::string Serving() const;
  // Reads the files of certificates, revocation lists and tokens at once and logs `reloaded`;
  // nothing else changes.
  void Reload();
  // Takes no new calls and lets those under way end for a while. Idempotent.
  void Stop();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DAEMON_H_
