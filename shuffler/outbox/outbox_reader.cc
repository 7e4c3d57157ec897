#include "shuffler/outbox/outbox_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "shuffler/disk/crc32c.h"

namespace tombola::shuffler {

absl::StatusOr<std::unique_ptr<BatchReader>> OutboxReader::Open(const std::string& path,
                                                                const BatchRecord& record) {
  TOMBOLA_ASSIGN_OR_RETURN(File file, File::OpenToRead(path));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  if (size != record.totals.reports_out * record.sealed_bytes) {
    return absl::DataLossError(absl::StrCat(path, ": ", size, " bytes, not ",
                                            record.totals.reports_out, " reports of ",
                                            record.sealed_bytes));
  }
  return std::unique_ptr<BatchReader>(new OutboxReader(std::move(file), record, size));
}

absl::StatusOr<absl::Span<const uint8_t>> OutboxReader::Next(int64_t max_bytes) {
  if (max_bytes < record_bytes_) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_bytes is ", max_bytes, ", a record has ", record_bytes_));
  }
  const int64_t whole = max_bytes - max_bytes % record_bytes_;
  chunk_.resize(static_cast<size_t>(std::min(whole, size_ - offset_)));
  if (chunk_.empty()) return absl::Span<const uint8_t>();
  TOMBOLA_RETURN_IF_ERROR(file_.ReadAt(offset_, absl::MakeSpan(chunk_)));
  running_ = Crc32c(chunk_, running_);
  offset_ += static_cast<int64_t>(chunk_.size());
  if (offset_ == size_ && running_ != checksum_) {
    return absl::DataLossError(absl::StrCat(file_.path(), ": the checksum is wrong"));
  }
  return absl::MakeConstSpan(chunk_);
}

}  // namespace tombola::shuffler
