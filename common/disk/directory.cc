#include "common/disk/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/disk/descriptor.h"
#include "common/disk/file.h"

namespace tombola {

std::string DirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

absl::Status MakeDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return DiskError("make directory", path);
  }
  // Also where it is there: whoever made it may have died before the sync.
  return SyncDirectoryOf(path);
}

absl::Status MakeDirectories(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("a directory must have a name");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return absl::OkStatus();
  const std::string whole = std::filesystem::path(path).has_filename() ? path : DirectoryOf(path);
  if (const std::string parent = DirectoryOf(whole); parent != whole) {
    TOMBOLA_RETURN_IF_ERROR(MakeDirectories(parent));
  }
  if (::mkdir(whole.c_str(), 0777) != 0) return DiskError("make directory", whole);
  const absl::Status synced = SyncDirectoryOf(whole);
  // Else the next attempt would find it and take its name for durable.
  if (!synced.ok()) ::rmdir(whole.c_str());
  return synced;
}

absl::Status SyncDirectory(const std::string& path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.open()) return DiskError("open", path);
  return ::fsync(descriptor.get()) == 0 ? absl::OkStatus() : DiskError("sync", path);
}

absl::Status SyncDirectoryOf(const std::string& path) { return SyncDirectory(DirectoryOf(path)); }

absl::Status Rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : DiskError("rename", from);
}

absl::Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return DiskError("remove", path);
}

absl::Status RemoveDirectory(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(path));
  for (const std::string& name : names) {
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(path, "/", name)));
  }
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return DiskError("remove directory", path);
}

absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  std::vector<std::string> names;
  if (directory == nullptr) {
    if (errno == ENOENT) return names;
    return DiskError("list", path);
  }
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): of a stream that nobody else reads
  while (const dirent* entry = ::readdir(directory.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return DiskError("list", path);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tombola
