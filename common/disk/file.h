// An open file, read and written at positions, with the syncs that make it last. Statuses as
// DiskError says.
#ifndef TOMBOLA_COMMON_DISK_FILE_H_
#define TOMBOLA_COMMON_DISK_FILE_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/disk/descriptor.h"

namespace tombola {

// The status of `errno` after an `action` ("open") that failed on `path`. A missing file is
// NotFound, one that is there already AlreadyExists, what this process may not do PermissionDenied,
// a full disk or quota ResourceExhausted, and anything else Unavailable.
absl::Status DiskError(absl::string_view action, absl::string_view path);

// Closed with the object. Reads and writes are positional, so that one file may serve several
// readers.
class File {
 public:
  // `flags` of open() beside those that it needs.
  static absl::StatusOr<File> OpenToRead(const std::string& path, int flags = 0);
  // To read and write.
  static absl::StatusOr<File> OpenToWrite(const std::string& path, int flags = 0);
  // With this mode, less what the umask takes. AlreadyExists if the file is there.
  static absl::StatusOr<File> CreateNew(const std::string& path, mode_t mode = S_IRUSR | S_IWUSR);
  // A new file for its owner only, whose name is `prefix` and six characters that no other has.
  static absl::StatusOr<File> CreateUnique(absl::string_view prefix);

  absl::Status WriteAt(int64_t offset, absl::Span<const uint8_t> bytes) const;
  // All of `out`. OutOfRange if the file ends before.
  absl::Status ReadAt(int64_t offset, absl::Span<uint8_t> out) const;
  absl::StatusOr<int64_t> Size() const;
  absl::StatusOr<struct stat> Facts() const;
  absl::Status Truncate(int64_t size) const;
  // Grows the file to `size` with zeros that take their place on the disk already. A file system
  // that cannot do so is no error.
  absl::Status Preallocate(int64_t size) const;
  // Its bytes are on disk when it returns OK; its name is after SyncDirectory.
  absl::Status SyncData() const;
  // So are its mode and its owner.
  absl::Status Sync() const;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }

 private:
  File(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  static absl::StatusOr<File> Open(const std::string& path, int flags, mode_t mode = 0);

  std::string path_;
  Descriptor descriptor_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_FILE_H_
