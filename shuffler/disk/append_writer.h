// Writes a new file from front to back through a buffer.
#ifndef TOMBOLA_SHUFFLER_DISK_APPEND_WRITER_H_
#define TOMBOLA_SHUFFLER_DISK_APPEND_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/disk/file.h"

namespace tombola::shuffler {

// Not thread-safe. Nothing is sure to be in the file before Flush, or on disk before the file is
// synced.
class AppendWriter {
 public:
  // Leaves the first `start` bytes of the file free, for a header that is known only at the end.
  static absl::StatusOr<AppendWriter> Create(const std::string& path, size_t buffer_bytes,
                                             int64_t start = 0);

  absl::Status Append(absl::Span<const uint8_t> bytes);
  absl::Status Flush();

  const File& file() const { return file_; }
  // Where the next byte goes.
  int64_t end() const { return flushed_ + static_cast<int64_t>(buffer_.size()); }
  // CRC-32C of everything appended and flushed.
  uint32_t checksum() const { return checksum_; }

 private:
  AppendWriter(File file, size_t buffer_bytes, int64_t start)
      : file_(std::move(file)), buffer_bytes_(buffer_bytes), flushed_(start) {}

  File file_;
  size_t buffer_bytes_;
  std::vector<uint8_t> buffer_;
  int64_t flushed_;
  uint32_t checksum_ = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_APPEND_WRITER_H_
