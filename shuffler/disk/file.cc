#include "shuffler/disk/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "shuffler/disk/encoding.h"

namespace tombola::shuffler {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kDirectoryMode = 0700;

std::string Parent(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

absl::Status ErrnoStatus(absl::string_view operation, absl::string_view path) {
  const int error = errno;
  const std::string message = absl::StrCat(operation, " ", path, ": ", std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    case ENOENT:
      return absl::NotFoundError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    default:
      return absl::UnavailableError(message);
  }
}

absl::StatusOr<File> File::Open(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kFileMode);
  if (descriptor < 0) return ErrnoStatus("open", path);
  return File(path, descriptor);
}

absl::StatusOr<File> File::OpenToRead(const std::string& path) { return Open(path, O_RDONLY); }
absl::StatusOr<File> File::CreateNew(const std::string& path) {
  return Open(path, O_RDWR | O_CREAT | O_EXCL);
}
absl::StatusOr<File> File::OpenToWrite(const std::string& path) { return Open(path, O_RDWR); }
absl::StatusOr<File> File::OpenOrCreate(const std::string& path) {
  return Open(path, O_RDWR | O_CREAT);
}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

absl::Status File::WriteAt(int64_t offset, absl::Span<const uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus("write", path_);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return absl::OkStatus();
}

absl::Status File::ReadAt(int64_t offset, absl::Span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor_, out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus("read", path_);
    if (got == 0) return absl::OutOfRangeError(absl::StrCat("read ", path_, ": end of file"));
    out.remove_prefix(static_cast<size_t>(got));
    offset += got;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> File::Size() const {
  struct stat facts;
  if (::fstat(descriptor_, &facts) != 0) return ErrnoStatus("stat", path_);
  return static_cast<int64_t>(facts.st_size);
}

absl::Status File::Truncate(int64_t size) const {
  return ::ftruncate(descriptor_, size) == 0 ? absl::OkStatus() : ErrnoStatus("truncate", path_);
}

absl::Status File::Preallocate(int64_t size) const {
  while (::fallocate(descriptor_, 0, 0, size) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return absl::OkStatus();
    return ErrnoStatus("allocate", path_);
  }
  return absl::OkStatus();
}

absl::Status File::SyncData() const {
  return ::fdatasync(descriptor_) == 0 ? absl::OkStatus() : ErrnoStatus("sync", path_);
}

absl::Status File::Lock() const {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  if (errno != EWOULDBLOCK) return ErrnoStatus("lock", path_);
  return absl::FailedPreconditionError(absl::StrCat(path_, " is locked: the store is in use"));
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  std::string bytes(static_cast<size_t>(size), '\0');
  TOMBOLA_RETURN_IF_ERROR(
      file.ReadAt(0, absl::MakeSpan(reinterpret_cast<uint8_t*>(bytes.data()), bytes.size())));
  return bytes;
}

absl::Status WriteNewFile(const std::string& path, absl::string_view bytes) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::CreateNew(path));
  TOMBOLA_RETURN_IF_ERROR(file.WriteAt(0, AsBytes(bytes)));
  return file.SyncData();
}

std::string DraftOf(const std::string& path) { return absl::StrCat(path, ".tmp"); }

absl::Status WriteDraft(const std::string& path, absl::string_view bytes) {
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(DraftOf(path)));
  return WriteNewFile(DraftOf(path), bytes);
}

absl::Status AdoptDraft(const std::string& path) {
  TOMBOLA_RETURN_IF_ERROR(Rename(DraftOf(path), path));
  return SyncDirectory(Parent(path));
}

absl::Status Rename(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : ErrnoStatus("rename", from);
}

absl::Status SyncDirectory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return ErrnoStatus("open", path);
  absl::Status status = ::fsync(descriptor) == 0 ? absl::OkStatus() : ErrnoStatus("sync", path);
  ::close(descriptor);
  return status;
}

absl::Status MakeDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
    return ErrnoStatus("make directory", path);
  }
  // Also where it is there: whoever made it may have died before the sync.
  return SyncDirectory(Parent(path));
}

absl::Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoStatus("remove", path);
}

absl::Status RemoveDirectory(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(path));
  for (const std::string& name : names) {
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(path, "/", name)));
  }
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoStatus("remove directory", path);
}

absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  std::vector<std::string> names;
  if (directory == nullptr) {
    if (errno == ENOENT) return names;
    return ErrnoStatus("list", path);
  }
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return ErrnoStatus("list", path);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tombola::shuffler
