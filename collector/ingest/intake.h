// A delivery, from its signed header to its receipt.
#ifndef TOMBOLA_COLLECTOR_INGEST_INTAKE_H_
#define TOMBOLA_COLLECTOR_INGEST_INTAKE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/intake_metrics.h"
#include "collector/open/opening.h"
#include "collector/store/batch_ledger.h"
#include "common/base/clock.h"
#include "common/metrics/metrics.h"
#include "common/task/manifest.h"

namespace tombola::collector {

// A batch that is being delivered.
struct Delivery {
  Manifest manifest;
  crypto::Sha256Digest manifest_digest{};
  std::shared_ptr<const Task> task;
  std::unique_ptr<Opening> opening;
  int64_t reports_received = 0;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

// Checks what the shuffler signed, and lets a batch count once. Free of gRPC. Thread-safe; a
// Delivery belongs to one stream.
class Intake {
 public:
  Intake(Catalog* catalog, const KeyRing* keys, BatchLedger* ledger, const Clock* clock,
         Metrics* metrics, int workers)
      : catalog_(catalog),
        keys_(keys),
        ledger_(ledger),
        clock_(clock),
        metrics_(*metrics),
        workers_(workers) {}

  // What is known of this batch already, if it came before or its key is destroyed, which is then
  // on disk; else the delivery to go on with.
  // InvalidArgument: not a manifest, or one with other fakes, or with more reports a submission,
  // than the task's mechanism has, or with fewer submissions than the task's smallest batch (of a
  // stream, than the node's), or under a key that such reports are not sealed to.
  // Unauthenticated: not signed by the shuffler that the task names.
  // NotFound: no such task or key. AlreadyExists: counted before with another manifest.
  struct Begun {
    std::optional<BatchRecord> known;
    std::optional<Delivery> delivery;
  };
  // `admit` is asked before anything is set aside for a new delivery, which is signed by then; its
  // refusal is the result.
  using Admit = std::function<absl::Status(const Task&)>;
  absl::StatusOr<Begun> Begin(
      const std::string& manifest, const std::string& signature,
      const Admit& admit = [](const Task&) { return absl::OkStatus(); }) const;

  // InvalidArgument: not whole records, too large, or more than the manifest says.
  absl::Status CheckChunk(Delivery* delivery, absl::string_view sealed_reports) const;

  // Opens and counts a chunk that was checked; as Opening::Open.
  void Open(Delivery& delivery, absl::string_view sealed_reports, int worker) const;

  // All chunks have been opened. Nothing is kept of a batch that disagrees with its manifest
  // (InvalidArgument). OK: it is on disk, counted or quarantined.
  absl::StatusOr<BatchRecord> Finish(Delivery& delivery) const;

 private:
  // Counts the cause for which a batch is not taken.
  absl::Status Refuse(absl::string_view cause, absl::Status status) const;
  absl::Status CheckCounts(const Task& task, const Manifest& manifest) const;
  // The receipt for a batch that nobody can open any more.
  absl::StatusOr<BatchRecord> Expire(const Delivery& delivery) const;
  // Counts and logs a batch that has just been put on disk.
  void Note(const Delivery& delivery, const BatchRecord& record) const;

  Catalog* const catalog_;
  const KeyRing* const keys_;
  BatchLedger* const ledger_;
  const Clock* const clock_;
  mutable IntakeMetrics metrics_;
  const int workers_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_INTAKE_H_
