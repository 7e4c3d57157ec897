#include "common/disk/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"

namespace tombola {

absl::StatusOr<DiskLock> DiskLock::Take(const std::string& file, const std::string& what) {
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor.open()) return DiskError("open", file);
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) return DiskLock(std::move(descriptor));
  if (errno != EWOULDBLOCK) return DiskError("lock", file);
  return absl::FailedPreconditionError(absl::StrCat(what, " is in use by another process"));
}

absl::StatusOr<DiskLock> DiskLock::OfDirectory(const std::string& directory) {
  return Take(absl::StrCat(directory, "/lock"), directory);
}

absl::StatusOr<DiskLock> DiskLock::OfFile(const std::string& path) {
  return Take(absl::StrCat(path, ".lock"), path);
}

absl::StatusOr<DiskLock> DiskLock::WaitForDirectoryOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  Descriptor descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.open()) return DiskError("open", directory);
  while (::flock(descriptor.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return DiskError("lock", directory);
  }
  return DiskLock(std::move(descriptor));
}

}  // namespace tombola
