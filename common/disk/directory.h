// Directories, and the syncs that make the names in them last. Statuses as DiskError says.
#ifndef TOMBOLA_COMMON_DISK_DIRECTORY_H_
#define TOMBOLA_COMMON_DISK_DIRECTORY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tombola {

// The directory that the path lies in; "." for a bare name.
std::string DirectoryOf(const std::string& path);

// Makes a directory for its owner only (mode 0700) in one that is there; no error if it is there
// itself. On return its name is on disk.
absl::Status MakeDirectory(const std::string& path);

// Makes the directory and its parents, as far as they are missing, with the mode that the umask
// leaves. On return their names are on disk.
absl::Status MakeDirectories(const std::string& path);

// The names in the directory are on disk when it returns OK.
absl::Status SyncDirectory(const std::string& path);

// The same of the directory that the path lies in.
absl::Status SyncDirectoryOf(const std::string& path);

// Another file or directory of that name gives way. The names are on disk after SyncDirectory.
absl::Status Rename(const std::string& from, const std::string& to);

// No error if it is not there.
absl::Status RemoveFile(const std::string& path);

// A directory of files, itself included; no error if it is not there.
absl::Status RemoveDirectory(const std::string& path);

// Sorted; none for a directory that is not there.
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_DIRECTORY_H_
