#include "shuffler/disk/append_writer.h"

#include "common/base/status_macros.h"
#include "shuffler/disk/crc32c.h"

namespace tombola::shuffler {

absl::StatusOr<AppendWriter> AppendWriter::Create(const std::string& path, size_t buffer_bytes,
                                                  int64_t start) {
  TOMBOLA_ASSIGN_OR_RETURN(File file, File::CreateNew(path));
  return AppendWriter(std::move(file), buffer_bytes, start);
}

absl::Status AppendWriter::Append(absl::Span<const uint8_t> bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes_) TOMBOLA_RETURN_IF_ERROR(Flush());
  if (bytes.size() > buffer_bytes_) {
    TOMBOLA_RETURN_IF_ERROR(file_.WriteAt(flushed_, bytes));
    checksum_ = Crc32c(bytes, checksum_);
    flushed_ += static_cast<int64_t>(bytes.size());
    return absl::OkStatus();
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return absl::OkStatus();
}

absl::Status AppendWriter::Flush() {
  TOMBOLA_RETURN_IF_ERROR(file_.WriteAt(flushed_, buffer_));
  checksum_ = Crc32c(buffer_, checksum_);
  flushed_ += static_cast<int64_t>(buffer_.size());
  buffer_.clear();
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
