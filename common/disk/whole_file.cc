#include "common/disk/whole_file.h"

#include <unistd.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"

namespace tombola {
namespace {

constexpr absl::string_view kDraftSuffix = ".tmp";
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

absl::Status WriteAndSync(const File& file, absl::Span<const uint8_t> bytes) {
  TOMBOLA_RETURN_IF_ERROR(file.WriteAt(0, bytes));
  return file.Sync();
}

absl::Status WriteDraftWithMode(const std::string& path, absl::string_view content, mode_t mode) {
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(DraftOf(path)));
  TOMBOLA_ASSIGN_OR_RETURN(const File draft, File::CreateNew(DraftOf(path), mode));
  return WriteAndSync(draft, AsBytes(content));
}

// Of the file that is about to be replaced, for as far as this process may decide that.
absl::Status KeepOwner(const File& draft, const std::string& path) {
  struct stat former {};
  if (geteuid() != 0 || lstat(path.c_str(), &former) != 0 || !S_ISREG(former.st_mode)) {
    return absl::OkStatus();
  }
  if (fchown(draft.descriptor(), former.st_uid, former.st_gid) != 0) {
    return DiskError("keep the owner of", path);
  }
  return absl::OkStatus();
}

// link() refuses an existing name in one step with making the new one; rename() replaces it so.
absl::Status Publish(const std::string& draft, const std::string& path, ExistingFile existing) {
  if (existing == ExistingFile::kReplace) {
    TOMBOLA_RETURN_IF_ERROR(Rename(draft, path));
  } else {
    if (::link(draft.c_str(), path.c_str()) != 0) return DiskError("create", path);
    // Before the sync, so that no power cut brings back a second name for what is written.
    if (::unlink(draft.c_str()) != 0) return DiskError("remove", draft);
  }
  return SyncDirectoryOf(path);
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path));
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file.descriptor(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR) {
      return absl::InvalidArgumentError(absl::StrCat(path, " must be a file, is a folder"));
    }
    if (got < 0) return DiskError("read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > max_bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " must have at most ", max_bytes, " bytes"));
    }
  }
}

absl::Status WriteNewFile(const std::string& path, absl::string_view bytes) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::CreateNew(path, kOwnerOnly));
  return WriteAndSync(file, AsBytes(bytes));
}

std::string DraftOf(const std::string& path) { return absl::StrCat(path, kDraftSuffix); }

absl::Status WriteDraft(const std::string& path, absl::string_view content) {
  return WriteDraftWithMode(path, content, kOwnerOnly);
}

absl::Status AdoptDraft(const std::string& path) {
  return Publish(DraftOf(path), path, ExistingFile::kReplace);
}

absl::StatusOr<std::vector<std::string>> ListWithoutDrafts(const std::string& directory) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(directory));
  std::vector<std::string> kept;
  for (const std::string& name : names) {
    if (absl::EndsWith(name, kDraftSuffix)) {
      TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(directory, "/", name)));
    } else {
      kept.push_back(name);
    }
  }
  return kept;
}

absl::Status ReplaceFile(const std::string& path, absl::string_view content, mode_t mode) {
  TOMBOLA_RETURN_IF_ERROR(WriteDraftWithMode(path, content, mode));
  return AdoptDraft(path);
}

absl::Status WritePrivateFile(const std::string& path, absl::Span<const uint8_t> content,
                              ExistingFile existing) {
  TOMBOLA_ASSIGN_OR_RETURN(const File draft, File::CreateUnique(absl::StrCat(path, ".draft.")));
  const absl::Cleanup remove = [&draft] { ::unlink(draft.path().c_str()); };
  if (existing == ExistingFile::kReplace) TOMBOLA_RETURN_IF_ERROR(KeepOwner(draft, path));
  TOMBOLA_RETURN_IF_ERROR(WriteAndSync(draft, content));
  return Publish(draft.path(), path, existing);
}

absl::Status SyncFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path));
  return file.Sync();
}

}  // namespace tombola
