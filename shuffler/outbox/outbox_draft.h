// A batch in the making.
#ifndef TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_DRAFT_H_
#define TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_DRAFT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/ids.h"
#include "shuffler/disk/append_writer.h"
#include "shuffler/outbox/outbox.h"
#include "shuffler/store/batch_stream.h"

namespace tombola::shuffler {

// Append, Sync, Complete, Publish, in this order. Removes what it wrote unless Publish was called.
class OutboxDraft final : public BatchWriter {
 public:
  // `outbox` must outlive it.
  static absl::StatusOr<std::unique_ptr<OutboxDraft>> Create(const Outbox& outbox,
                                                             const BatchId& batch);
  ~OutboxDraft() override;

  absl::Status Append(absl::Span<const uint8_t> reports) override;
  // The reports are on disk; the CRC-32C of all of them.
  absl::StatusOr<uint32_t> Sync();
  absl::Status Complete(const BatchRecord& record, absl::string_view manifest);
  // After a failure it is in doubt whether a restart finds the batch.
  absl::Status Publish();

  const BatchId& batch() const { return batch_; }

 private:
  OutboxDraft(const Outbox& outbox, const BatchId& batch, AppendWriter writer)
      : outbox_(outbox), batch_(batch), writer_(std::move(writer)) {}

  const Outbox& outbox_;
  const BatchId batch_;
  AppendWriter writer_;
  bool published_ = false;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_DRAFT_H_
