// One batch on its way from sealed reports to counts.
#ifndef TOMBOLA_COLLECTOR_OPEN_OPENING_H_
#define TOMBOLA_COLLECTOR_OPEN_OPENING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/aggregate/counts.h"
#include "collector/aggregate/rejected_reports.h"
#include "collector/aggregate/tables_aggregator.h"
#include "common/base/batch_key.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/report_digest.h"
#include "common/task/task.h"

namespace tombola::collector {

struct OpenedBatch {
  int64_t reports = 0;  // good and bad
  int64_t good = 0;
  RejectedReports rejected;
  crypto::Sha256Digest digest_sum{};
  Counts counts;
};

// Opens and counts the reports of one batch. A bad report is counted by its cause and dropped; it
// touches nothing else. Plaintext reports live in a small buffer of the worker that opened
// them, wiped before Open returns, and nowhere else.
//
// Thread-compatible: Open may run at once for different workers, with all of them done before
// Finish.
class Opening {
 public:
  // `key` is the one that `of` names.
  static absl::StatusOr<std::unique_ptr<Opening>> Create(const std::shared_ptr<const Task>& task,
                                                         const BatchKey& of,
                                                         const crypto::HpkePrivateKey& key,
                                                         int workers);

  // `sealed_reports` holds whole records; 0 <= worker < workers.
  void Open(absl::string_view sealed_reports, int worker);
  OpenedBatch Finish();

 private:
  // What one worker has found so far.
  struct Part {
    crypto::Opener opener;
    TablesAggregator aggregator;
    crypto::DigestSum digest_sum;
    int64_t good = 0;
    RejectedReports rejected;
  };

  Opening(std::shared_ptr<const Task> task, const KeyId& key_id)
      : task_(std::move(task)), key_id_(key_id) {}

  std::shared_ptr<const Task> task_;
  KeyId key_id_;
  std::vector<Part> parts_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_OPEN_OPENING_H_
