#include "cli/terminal/out_file.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

namespace fs = std::filesystem;

absl::Status Refuse(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--out: ", path, " ", why));
}

}  // namespace

absl::Status CheckOut(const std::string& path) {
  std::error_code error;
  if (path.empty()) return absl::InvalidArgumentError("--out must name a file");
  if (fs::is_directory(path, error)) return Refuse(path, "is a directory: name a file in it");
  // A device or a pipe would be replaced by a file.
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return Refuse(path, "is no regular file: leave --out away and redirect standard output");
  }
  if (fs::is_symlink(path, error) && !fs::exists(path, error)) {
    return Refuse(path, "is a symbolic link to nothing");
  }
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) {
    return Refuse(path, "lies in a directory that does not exist");
  }
  if (!fs::path(path).has_filename()) return Refuse(path, "must name a file");
  return absl::OkStatus();
}

absl::Status WriteOut(const std::string& path, absl::string_view content) {
  TOMBOLA_RETURN_IF_ERROR(CheckOut(path));
  std::error_code error;
  if (!fs::is_symlink(path, error)) return ReplaceFile(path, content);
  const fs::path target = fs::canonical(path, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot resolve ", path));
  return ReplaceFile(target.string(), content);
}

}  // namespace tombola::cli
