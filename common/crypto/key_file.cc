#include "common/crypto/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

namespace tombola::crypto {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Removes a file at the end of a scope, whether or not it is still there.
class ScopedUnlink {
 public:
  explicit ScopedUnlink(const std::string& path) : path_(path) {}
  ~ScopedUnlink() { unlink(path_.c_str()); }
  ScopedUnlink(const ScopedUnlink&) = delete;
  ScopedUnlink& operator=(const ScopedUnlink&) = delete;

 private:
  const std::string& path_;
};

absl::Status FileError(absl::string_view action, absl::string_view path) {
  const std::string message =
      absl::StrCat("cannot ", action, " ", path, ": ", std::strerror(errno));
  if (errno == ENOENT) return absl::NotFoundError(message);
  if (errno == EEXIST) return absl::AlreadyExistsError(message);
  return absl::UnavailableError(message);
}

absl::Status WriteAndSync(int fd, absl::Span<const uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(fd) != 0) return FileError("sync", path);
  return absl::OkStatus();
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
}

// link() refuses an existing name in one step with making the new one; rename() replaces it so.
absl::Status Publish(const std::string& temporary, const std::string& path, ExistingFile existing) {
  const int result = existing == ExistingFile::kRefuse ? link(temporary.c_str(), path.c_str())
                                                       : rename(temporary.c_str(), path.c_str());
  if (result != 0) return FileError("create", path);
  return SyncDirectoryOf(path);
}

absl::Status CheckOwner(const struct stat& info, const std::string& path) {
  if (info.st_uid == geteuid() || info.st_uid == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(path, " belongs to user ", info.st_uid,
                                                  ", this process to user ", geteuid(),
                                                  ": run chown ", geteuid(), " ", path));
}

// Of the file that is about to be replaced, for as far as this process may decide that.
absl::Status KeepOwner(int fd, const std::string& path) {
  struct stat former {};
  if (geteuid() != 0 || lstat(path.c_str(), &former) != 0 || !S_ISREG(former.st_mode)) {
    return absl::OkStatus();
  }
  if (fchown(fd, former.st_uid, former.st_gid) != 0) return FileError("keep the owner of", path);
  return absl::OkStatus();
}

absl::Status CheckIsPrivate(const struct stat& info, const std::string& path) {
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, " holds a secret but is open to group or others: run chmod 600 ", path));
  }
  return absl::OkStatus();
}

absl::Status CheckSize(size_t size, absl::string_view what) {
  if (size >= 1 && size <= kMaxSecretFileBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " must have 1 to ", kMaxSecretFileBytes, " bytes, has ", size));
}

}  // namespace

absl::Status WriteSecretFile(const std::string& path, const SecretBytes& secret,
                             ExistingFile existing) {
  TOMBOLA_RETURN_IF_ERROR(CheckSize(secret.size(), "secret"));
  std::string temporary = absl::StrCat(path, ".draft.XXXXXX");
  const FileDescriptor fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return FileError("create", path);
  const ScopedUnlink unlink_temporary(temporary);
  if (fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) return FileError("restrict", path);
  if (existing == ExistingFile::kReplace) TOMBOLA_RETURN_IF_ERROR(KeepOwner(fd.get(), path));
  TOMBOLA_RETURN_IF_ERROR(WriteAndSync(fd.get(), secret.ExposeSecret(), path));
  return Publish(temporary, path, existing);
}

absl::StatusOr<SecretBytes> ReadSecretFile(const std::string& path, AllowedOwner owner) {
  // O_NONBLOCK: a pipe at the path is refused below instead of waited for.
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return FileError("open", path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return FileError("read", path);
  TOMBOLA_RETURN_IF_ERROR(CheckIsPrivate(info, path));
  if (owner == AllowedOwner::kSelfOrRoot || geteuid() != 0) {
    TOMBOLA_RETURN_IF_ERROR(CheckOwner(info, path));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckSize(static_cast<size_t>(info.st_size), path));
  SecretBytes secret = SecretBytes::OfSize(static_cast<size_t>(info.st_size));
  absl::Span<uint8_t> rest = secret.ExposeSecretForWriting();
  while (!rest.empty()) {
    const ssize_t got = read(fd.get(), rest.data(), rest.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError("read", path);
    if (got == 0) return absl::UnavailableError(absl::StrCat(path, " was cut short while read"));
    rest.remove_prefix(static_cast<size_t>(got));
  }
  return secret;
}

absl::Status DestroySecretFile(const std::string& path) {
  const FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0 && errno == ENOENT) return absl::OkStatus();
  if (fd.get() < 0) return FileError("destroy", path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return FileError("destroy", path);
  const std::vector<uint8_t> zeros(static_cast<size_t>(info.st_size), 0);
  TOMBOLA_RETURN_IF_ERROR(WriteAndSync(fd.get(), zeros, path));
  if (unlink(path.c_str()) != 0) return FileError("remove", path);
  return SyncDirectoryOf(path);
}

absl::Status CheckSecretDirectory(const std::string& directory) {
  struct stat info;
  if (stat(directory.c_str(), &info) != 0) return FileError("look at", directory);
  const bool shared = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (shared && (info.st_mode & S_ISVTX) == 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        directory, " holds a secret but group or others may write it: run chmod go-w ", directory));
  }
  return CheckOwner(info, directory);
}

absl::Status CheckDirectoryOfSecret(const std::string& path) {
  return CheckSecretDirectory(DirectoryOf(path));
}

}  // namespace tombola::crypto
