#include "common/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola {
namespace {

absl::Status Failed(absl::string_view verb, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", verb, " ", path));
}

std::string DirectoryOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

absl::Status WriteAll(int fd, absl::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("write", path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed("open", path);
  const absl::Cleanup close = [fd] { ::close(fd); };
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " must have at most ", max_bytes, " bytes"));
    }
  }
}

absl::Status ReplaceFile(const std::string& path, absl::string_view content) {
  const std::string temporary = absl::StrCat(path, ".tmp");
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return Failed("create", temporary);
  absl::Status status = WriteAll(fd, content, temporary);
  if (status.ok() && ::fsync(fd) != 0) status = Failed("sync", temporary);
  ::close(fd);
  TOMBOLA_RETURN_IF_ERROR(status);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return Failed("rename", temporary);
  return SyncDirectoryOf(path);
}

absl::Status SyncFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed("open", path);
  const absl::Cleanup close = [fd] { ::close(fd); };
  if (::fsync(fd) != 0) return Failed("sync", path);
  return absl::OkStatus();
}

absl::Status SyncDirectoryOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed("open", directory);
  const absl::Cleanup close = [fd] { ::close(fd); };
  if (::fsync(fd) != 0) return Failed("sync", directory);
  return absl::OkStatus();
}

absl::Status MakeDirectories(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("a directory must have a name");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return absl::OkStatus();
  const std::string whole = std::filesystem::path(path).has_filename() ? path : DirectoryOf(path);
  if (const std::string parent = DirectoryOf(whole); parent != whole) {
    TOMBOLA_RETURN_IF_ERROR(MakeDirectories(parent));
  }
  if (::mkdir(whole.c_str(), 0777) != 0) return Failed("create directory", whole);
  const absl::Status synced = SyncDirectoryOf(whole);
  // Else the next attempt would find it and take its name for durable.
  if (!synced.ok()) ::rmdir(whole.c_str());
  return synced;
}

}  // namespace tombola
