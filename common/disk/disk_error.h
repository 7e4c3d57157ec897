// What the system says of a file, as a status.
#ifndef TOMBOLA_COMMON_DISK_DISK_ERROR_H_
#define TOMBOLA_COMMON_DISK_DISK_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tombola {

// The status of `errno` after an `action` ("open") that failed on `path`. A missing file is
// NotFound, one that is there already AlreadyExists, what this process may not do PermissionDenied,
// a full disk or quota ResourceExhausted, and anything else Unavailable.
absl::Status DiskError(absl::string_view action, absl::string_view path);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_DISK_ERROR_H_
