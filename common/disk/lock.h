// One process at a time.
#ifndef TOMBOLA_COMMON_DISK_LOCK_H_
#define TOMBOLA_COMMON_DISK_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/disk/descriptor.h"

namespace tombola {

// Held until the object is destroyed or the process ends, however it ends. Two locks of one process
// exclude each other as well. Otherwise as DiskError says.
class DiskLock {
 public:
  // Of a directory, by its file `lock`, which is made if it is missing. FailedPrecondition: another
  // process has it.
  static absl::StatusOr<DiskLock> OfDirectory(const std::string& directory);

  // Of a file that is replaced while it is locked, by a file `path`.lock beside it.
  // FailedPrecondition: another process has it.
  static absl::StatusOr<DiskLock> OfFile(const std::string& path);

  // Of the directory that the path lies in, by the directory itself, so that no file is left there.
  // Waits until others have let go of it.
  static absl::StatusOr<DiskLock> WaitForDirectoryOf(const std::string& path);

 private:
  explicit DiskLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  // Locks `file`, or says that `what` is in use.
  static absl::StatusOr<DiskLock> Take(const std::string& file, const std::string& what);

  Descriptor descriptor_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_LOCK_H_
