// One process at a time in a directory.
#ifndef TOMBOLA_COMMON_BASE_DIRECTORY_LOCK_H_
#define TOMBOLA_COMMON_BASE_DIRECTORY_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace tombola {

// Holds the file `lock` of a directory until it is destroyed or the process ends, however it ends.
class DirectoryLock {
 public:
  // FailedPrecondition: another process has it.
  static absl::StatusOr<DirectoryLock> Take(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_DIRECTORY_LOCK_H_
