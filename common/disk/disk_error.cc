#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/disk/file.h"

namespace tombola {

absl::Status DiskError(absl::string_view action, absl::string_view path) {
  const int error = errno;
  const std::string message =
      absl::StrCat("cannot ", action, " ", path, ": ", std::generic_category().message(error));
  switch (error) {
    case ENOENT:
      return absl::NotFoundError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

}  // namespace tombola
