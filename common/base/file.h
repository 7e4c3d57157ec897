// Small whole files: configuration, certificates, the lists that daemons keep.
#ifndef TOMBOLA_COMMON_BASE_FILE_H_
#define TOMBOLA_COMMON_BASE_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola {

// The content of a file of at most so many bytes. NotFound, PermissionDenied, or InvalidArgument
// for one that is larger, name the path.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes = size_t{64} << 20);

// Replaces the file as a whole: after a crash it has the old content or the new one, never a part.
// On return the new content is on disk.
absl::Status ReplaceFile(const std::string& path, absl::string_view content);

// Makes the directory and its parents, as far as they are missing. On return their names are on
// disk.
absl::Status MakeDirectories(const std::string& path);

// What was written to the file is on disk when it returns OK.
absl::Status SyncFile(const std::string& path);

// The names in the directory that the path lies in are on disk when it returns OK.
absl::Status SyncDirectoryOf(const std::string& path);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_FILE_H_
