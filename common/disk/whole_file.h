// Files that are read, and written, as a whole: configuration, certificates, keys, the lists and
// records that daemons keep. Statuses as DiskError says.
//
// A file is replaced so that after a crash it holds its old or its new content, never a part: a
// draft is written and synced beside it and then takes its name.
#ifndef TOMBOLA_COMMON_DISK_WHOLE_FILE_H_
#define TOMBOLA_COMMON_DISK_WHOLE_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola {

// The content of a file of at most so many bytes; InvalidArgument if it is larger, or a folder.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path,
                                          size_t max_bytes = size_t{64} << 20);

// Creates the file, for its owner only, with these bytes and syncs it; its name is durable after
// SyncDirectory. AlreadyExists if it is there.
absl::Status WriteNewFile(const std::string& path, absl::string_view bytes);

// Replaces the file, or makes it, with this mode less what the umask takes. On return the new
// content is on disk. One writer at a time: the draft is DraftOf(path).
absl::Status ReplaceFile(const std::string& path, absl::string_view content, mode_t mode = 0644);

// The same in two steps, of a file for its owner only. After a failure of the first the file is
// untouched; after one of the second it is in doubt.
std::string DraftOf(const std::string& path);
absl::Status WriteDraft(const std::string& path, absl::string_view content);
absl::Status AdoptDraft(const std::string& path);
// The names in a directory, sorted, after what was left of drafts by a crash has been removed. None
// for a directory that is not there.
absl::StatusOr<std::vector<std::string>> ListWithoutDrafts(const std::string& directory);

enum class ExistingFile {
  kRefuse,   // What is there already stays: AlreadyExists.
  kReplace,  // Readers see the old content or the new, never a mixture.
};

// A file of mode 0600 whatever the umask, that appears whole and synced or not at all, whoever else
// writes it at the same time: each writer has a draft `path`.draft.XXXXXX of its own, which a crash
// can leave. What root replaces still belongs to whom it belonged.
absl::Status WritePrivateFile(const std::string& path, absl::Span<const uint8_t> content,
                              ExistingFile existing);

// What was written to the file is on disk when it returns OK.
absl::Status SyncFile(const std::string& path);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_WHOLE_FILE_H_
