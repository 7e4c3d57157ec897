#include "shuffler/outbox/outbox_draft.h"

#include <cstddef>
#include <string>

#include "common/base/status_macros.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kWriteBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<OutboxDraft>> OutboxDraft::Create(const Outbox& outbox,
                                                                 const BatchId& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string directory, outbox.MakeDraft(batch));
  absl::StatusOr<AppendWriter> writer =
      AppendWriter::Create(Outbox::ReportsIn(directory), kWriteBytes);
  if (!writer.ok()) {
    outbox.RemoveDraft(batch).IgnoreError();  // else the next start removes it
    return writer.status();
  }
  return std::unique_ptr<OutboxDraft>(new OutboxDraft(outbox, batch, *std::move(writer)));
}

OutboxDraft::~OutboxDraft() {
  if (!published_) outbox_.RemoveDraft(batch_).IgnoreError();  // else the next start removes it
}

absl::Status OutboxDraft::Append(absl::Span<const uint8_t> reports) {
  return writer_.Append(reports);
}

absl::StatusOr<uint32_t> OutboxDraft::Sync() {
  TOMBOLA_RETURN_IF_ERROR(writer_.Flush());
  TOMBOLA_RETURN_IF_ERROR(writer_.file().SyncData());
  return writer_.checksum();
}

absl::Status OutboxDraft::Complete(const BatchRecord& record, absl::string_view manifest) {
  return outbox_.CompleteDraft(record, manifest);
}

absl::Status OutboxDraft::Publish() {
  published_ = true;
  return outbox_.Publish(batch_);
}

}  // namespace tombola::shuffler
