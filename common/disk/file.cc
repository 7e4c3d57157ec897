#include "common/disk/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola {

absl::StatusOr<File> File::Open(const std::string& path, int flags, mode_t mode) {
  Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!descriptor.open()) return DiskError("open", path);
  return File(path, std::move(descriptor));
}

absl::StatusOr<File> File::OpenToRead(const std::string& path, int flags) {
  return Open(path, O_RDONLY | flags);
}
absl::StatusOr<File> File::OpenToWrite(const std::string& path, int flags) {
  return Open(path, O_RDWR | flags);
}
absl::StatusOr<File> File::CreateNew(const std::string& path, mode_t mode) {
  return Open(path, O_RDWR | O_CREAT | O_EXCL, mode);
}

absl::StatusOr<File> File::CreateUnique(absl::string_view prefix) {
  std::string path = absl::StrCat(prefix, "XXXXXX");
  Descriptor descriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (!descriptor.open()) return DiskError("create", path);
  File file(path, std::move(descriptor));
  if (::fchmod(file.descriptor(), S_IRUSR | S_IWUSR) != 0) {
    absl::Status status = DiskError("restrict", path);
    ::unlink(path.c_str());
    return status;
  }
  return file;
}

absl::Status File::WriteAt(int64_t offset, absl::Span<const uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return DiskError("write", path_);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return absl::OkStatus();
}

absl::Status File::ReadAt(int64_t offset, absl::Span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_.get(), out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return DiskError("read", path_);
    if (got == 0) return absl::OutOfRangeError(absl::StrCat("read ", path_, ": end of file"));
    out.remove_prefix(static_cast<size_t>(got));
    offset += got;
  }
  return absl::OkStatus();
}

absl::StatusOr<struct stat> File::Facts() const {
  struct stat facts;
  if (::fstat(descriptor_.get(), &facts) != 0) return DiskError("look at", path_);
  return facts;
}

absl::StatusOr<int64_t> File::Size() const {
  TOMBOLA_ASSIGN_OR_RETURN(const struct stat facts, Facts());
  return static_cast<int64_t>(facts.st_size);
}

absl::Status File::Truncate(int64_t size) const {
  if (::ftruncate(descriptor_.get(), size) != 0) return DiskError("truncate", path_);
  return absl::OkStatus();
}

absl::Status File::Preallocate(int64_t size) const {
  while (::fallocate(descriptor_.get(), 0, 0, size) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return absl::OkStatus();
    return DiskError("allocate", path_);
  }
  return absl::OkStatus();
}

absl::Status File::SyncData() const {
  return ::fdatasync(descriptor_.get()) == 0 ? absl::OkStatus() : DiskError("sync", path_);
}

absl::Status File::Sync() const {
  return ::fsync(descriptor_.get()) == 0 ? absl::OkStatus() : DiskError("sync", path_);
}

}  // namespace tombola
