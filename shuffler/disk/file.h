// Files and directories with statuses and with the syncs that make them last. Every file is private
// to its owner (mode 0600, directories 0700).
//
// Causes: a full disk or quota is ResourceExhausted, a missing file NotFound, anything else that
// the system reports Unavailable. Messages name the path.
#ifndef TOMBOLA_SHUFFLER_DISK_FILE_H_
#define TOMBOLA_SHUFFLER_DISK_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::shuffler {

// The status of `errno` after `operation` on `path`.
absl::Status ErrnoStatus(absl::string_view operation, absl::string_view path);

// An open file, closed with the object. Reads and writes are positional, so that one file may serve
// several readers.
class File {
 public:
  static absl::StatusOr<File> OpenToRead(const std::string& path);
  static absl::StatusOr<File> OpenToWrite(const std::string& path);
  // AlreadyExists if the file is there.
  static absl::StatusOr<File> CreateNew(const std::string& path);
  // For a lock: opened or created.
  static absl::StatusOr<File> OpenOrCreate(const std::string& path);

  File(File&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept;
  ~File();

  absl::Status WriteAt(int64_t offset, absl::Span<const uint8_t> bytes) const;
  // All of `out`. OutOfRange if the file ends before.
  absl::Status ReadAt(int64_t offset, absl::Span<uint8_t> out) const;
  absl::StatusOr<int64_t> Size() const;
  absl::Status Truncate(int64_t size) const;
  // Grows the file to `size` with zeros that take their place on the disk already. A file system
  // that cannot do so is no error.
  absl::Status Preallocate(int64_t size) const;
  absl::Status SyncData() const;
  // FailedPrecondition: another process, or another File, holds the lock.
  absl::Status Lock() const;

  const std::string& path() const { return path_; }

 private:
  File(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static absl::StatusOr<File> Open(const std::string& path, int flags);

  std::string path_;
  int descriptor_;
};

absl::StatusOr<std::string> ReadWholeFile(const std::string& path);
// Creates the file with these bytes and syncs it; its name is durable after SyncDirectory.
absl::Status WriteNewFile(const std::string& path, absl::string_view bytes);
// A file is replaced in two steps, and holds its old or its new content whatever happens: the draft
// is written and synced beside it, under a name that ends in ".tmp", and then takes its name. After
// a failure of the first step the file is untouched; after one of the second it is in doubt.
std::string DraftOf(const std::string& path);
absl::Status WriteDraft(const std::string& path, absl::string_view bytes);
absl::Status AdoptDraft(const std::string& path);
absl::Status Rename(const std::string& from, const std::string& to);
absl::Status SyncDirectory(const std::string& path);
// Durable; no error if it is there.
absl::Status MakeDirectory(const std::string& path);
// No error if it is not there.
absl::Status RemoveFile(const std::string& path);
// A directory of files, itself included; no error if it is not there.
absl::Status RemoveDirectory(const std::string& path);
// Sorted; none for a directory that is not there.
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_FILE_H_
