#include "shuffler/outbox/outbox.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/outbox/outbox_reader.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kDraftPrefix = "tmp-";

std::string ManifestIn(absl::string_view directory) { return absl::StrCat(directory, "/manifest"); }
std::string RecordIn(absl::string_view directory) { return absl::StrCat(directory, "/batch"); }

}  // namespace

std::string Outbox::ReportsIn(absl::string_view batch_directory) {
  return absl::StrCat(batch_directory, "/reports");
}

std::string Outbox::Draft(const BatchId& batch) const {
  return absl::StrCat(directory_, "/", kDraftPrefix, ToHex(batch));
}

std::string Outbox::Published(const BatchId& batch) const {
  return absl::StrCat(directory_, "/", ToHex(batch));
}

absl::StatusOr<std::vector<BatchRecord>> Outbox::Recover() const {
  std::vector<BatchRecord> records;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(directory_));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(directory_, "/", name);
    if (absl::StartsWith(name, kDraftPrefix)) {
      TOMBOLA_RETURN_IF_ERROR(RemoveDirectory(path));
      continue;
    }
    const absl::StatusOr<std::string> bytes = ReadSmallFile(RecordIn(path));
    if (absl::IsNotFound(bytes.status())) {
      return absl::DataLossError(absl::StrCat(path, " has no record"));
    }
    TOMBOLA_RETURN_IF_ERROR(bytes.status());
    TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, DecodeBatchRecord(*bytes, RecordIn(path)));
    if (ToHex(record.totals.batch) != name) {
      return absl::DataLossError(absl::StrCat(path, " has the record of another batch"));
    }
    records.push_back(std::move(record));
  }
  // The logs of these batches are removed next: the renames must be durable before.
  TOMBOLA_RETURN_IF_ERROR(SyncDirectory(directory_));
  return records;
}

absl::StatusOr<std::string> Outbox::MakeDraft(const BatchId& batch) const {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(Draft(batch)));
  return Draft(batch);
}

absl::Status Outbox::CompleteDraft(const BatchRecord& record, absl::string_view manifest) const {
  const std::string draft = Draft(record.totals.batch);
  TOMBOLA_RETURN_IF_ERROR(WriteNewFile(ManifestIn(draft), manifest));
  TOMBOLA_RETURN_IF_ERROR(WriteNewFile(RecordIn(draft), EncodeBatchRecord(record)));
  return SyncDirectory(draft);
}

absl::Status Outbox::RemoveDraft(const BatchId& batch) const {
  return RemoveDirectory(Draft(batch));
}

absl::Status Outbox::Publish(const BatchId& batch) const {
  TOMBOLA_RETURN_IF_ERROR(Rename(Draft(batch), Published(batch)));
  return SyncDirectory(directory_);
}

absl::StatusOr<std::string> Outbox::ReadManifest(const BatchRecord& record) const {
  const std::string path = ManifestIn(Published(record.totals.batch));
  TOMBOLA_ASSIGN_OR_RETURN(std::string manifest, ReadSmallFile(path));
  if (Crc32c(AsBytes(manifest)) != record.manifest_checksum) {
    return absl::DataLossError(absl::StrCat(path, ": the checksum is wrong"));
  }
  return manifest;
}

absl::StatusOr<std::unique_ptr<BatchReader>> Outbox::Read(const BatchRecord& record) const {
  return OutboxReader::Open(ReportsIn(Published(record.totals.batch)), record);
}

absl::Status Outbox::Remove(const BatchId& batch) const {
  const absl::Status renamed = Rename(Published(batch), Draft(batch));
  if (!renamed.ok() && !absl::IsNotFound(renamed)) return renamed;
  TOMBOLA_RETURN_IF_ERROR(SyncDirectory(directory_));
  TOMBOLA_RETURN_IF_ERROR(RemoveDirectory(Draft(batch)));
  return SyncDirectory(directory_);
}

}  // namespace tombola::shuffler
