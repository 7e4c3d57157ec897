// The batches that are permuted and not yet acknowledged.
#ifndef TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_H_
#define TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/ids.h"
#include "shuffler/outbox/batch_record.h"
#include "shuffler/store/batch_stream.h"

namespace tombola::shuffler {

// One directory a batch, `<batch hex>`, with its reports, its manifest and its record. It comes
// into being under the name `tmp-<batch hex>` and gets its own by one rename, so a batch is there
// whole or not at all; it goes the same way. Stateless, hence thread-safe for different batches.
class Outbox {
 public:
  explicit Outbox(std::string directory) : directory_(std::move(directory)) {}

  // Removes what has a tmp- name and reads the records of the rest. DataLoss: one is damaged.
  absl::StatusOr<std::vector<BatchRecord>> Recover() const;

  // An empty directory to write a batch's reports into; its path.
  absl::StatusOr<std::string> MakeDraft(const BatchId& batch) const;
  static std::string ReportsIn(absl::string_view batch_directory);
  // Adds manifest and record to the draft. Everything in it must be synced, and is then.
  absl::Status CompleteDraft(const BatchRecord& record, absl::string_view manifest) const;
  absl::Status RemoveDraft(const BatchId& batch) const;
  // The rename. After a failure it is in doubt whether a restart finds the batch.
  absl::Status Publish(const BatchId& batch) const;

  absl::StatusOr<std::string> ReadManifest(const BatchRecord& record) const;
  absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchRecord& record) const;

  // No error if it is gone.
  absl::Status Remove(const BatchId& batch) const;

 private:
  std::string Draft(const BatchId& batch) const;
  std::string Published(const BatchId& batch) const;

  const std::string directory_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_H_
