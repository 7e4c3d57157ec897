#include "common/crypto/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"

namespace tombola::crypto {
namespace {

absl::Status CheckOwner(const struct stat& info, const std::string& path) {
  if (info.st_uid == geteuid() || info.st_uid == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(path, " belongs to user ", info.st_uid,
                                                  ", this process to user ", geteuid(),
                                                  ": run chown ", geteuid(), " ", path));
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
  return WritePrivateFile(path, secret.ExposeSecret(), existing);
}

absl::StatusOr<SecretBytes> ReadSecretFile(const std::string& path, AllowedOwner owner) {
  // O_NONBLOCK: a pipe at the path is refused below instead of waited for.
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path, O_NONBLOCK));
  TOMBOLA_ASSIGN_OR_RETURN(const struct stat info, file.Facts());
  TOMBOLA_RETURN_IF_ERROR(CheckIsPrivate(info, path));
  if (owner == AllowedOwner::kSelfOrRoot || geteuid() != 0) {
    TOMBOLA_RETURN_IF_ERROR(CheckOwner(info, path));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckSize(static_cast<size_t>(info.st_size), path));
  SecretBytes secret = SecretBytes::OfSize(static_cast<size_t>(info.st_size));
  const absl::Status read = file.ReadAt(0, secret.ExposeSecretForWriting());
  if (absl::IsOutOfRange(read)) {
    return absl::UnavailableError(absl::StrCat(path, " was cut short while read"));
  }
  TOMBOLA_RETURN_IF_ERROR(read);
  return secret;
}

absl::Status DestroySecretFile(const std::string& path) {
  const absl::StatusOr<File> file = File::OpenToWrite(path, O_NOFOLLOW);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(file.status());
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file->Size());
  TOMBOLA_RETURN_IF_ERROR(file->WriteAt(0, std::vector<uint8_t>(static_cast<size_t>(size), 0)));
  TOMBOLA_RETURN_IF_ERROR(file->Sync());
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
  return SyncDirectoryOf(path);
}

absl::Status CheckSecretDirectory(const std::string& directory) {
  struct stat info;
  if (stat(directory.c_str(), &info) != 0) return DiskError("look at", directory);
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
