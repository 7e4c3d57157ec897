// Held logs on their way out.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_DETACHED_LOGS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_DETACHED_LOGS_H_

#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/batch_key.h"
#include "shuffler/digests/seen_files.h"
#include "shuffler/embedded/inventory.h"
#include "shuffler/store/detached.h"

namespace tombola::shuffler {

// Repetitions never got into the logs, so that what was accepted is what is read, to the report.
class DetachedLogs final : public Detached {
 public:
  // `inventory` must outlive it. Hashes and sorts on so many threads.
  DetachedLogs(Leaving leaving, Inventory& inventory, size_t threads)
      : leaving_(std::move(leaving)), inventory_(inventory), threads_(threads) {}
  // Hands back what is leaving unless Settled was called.
  ~DetachedLogs() override;

  const BatchKey& of() const override { return leaving_.of; }
  int64_t sealed_bytes() const override { return leaving_.logs.front().header.sealed_bytes; }
  int64_t most_reports() const override { return leaving_.amounts.reports; }
  absl::StatusOr<DetachedTotals> Read(const ReportsTo& to) override;

  const Leaving& leaving() const { return leaving_; }
  // The digests of everything that was read, sorted; they are sorted while others go on.
  DigestsByWindow& SortedDigests();
  // Its fate is known to the inventory, or in doubt.
  void Settled() { settled_ = true; }

 private:
  const Leaving leaving_;
  Inventory& inventory_;
  const size_t threads_;
  bool settled_ = false;
  DigestsByWindow digests_;
  std::thread sorter_;  // of digests_, after Read
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_DETACHED_LOGS_H_
