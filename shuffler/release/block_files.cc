#include "shuffler/release/block_files.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

}  // namespace

absl::StatusOr<BlockFiles> BlockFiles::Create(const std::string& directory, size_t blocks) {
  BlockFiles files;
  for (size_t i = 0; i < blocks; ++i) {
    const std::string path = absl::StrCat(directory, "/block-", i);
    TOMBOLA_RETURN_IF_ERROR(
        RemoveFile(path));  // of a process that ended between the next two lines
    TOMBOLA_ASSIGN_OR_RETURN(AppendWriter writer, AppendWriter::Create(path, kBufferBytes));
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
    files.writers_.push_back(std::move(writer));
  }
  return files;
}

absl::Status BlockFiles::Append(size_t block, absl::Span<const uint8_t> record) {
  return writers_[block].Append(record);
}

absl::StatusOr<absl::Span<uint8_t>> BlockFiles::Load(size_t block) {
  AppendWriter& writer = writers_[block];
  TOMBOLA_RETURN_IF_ERROR(writer.Flush());
  loaded_.resize(static_cast<size_t>(writer.end()));
  TOMBOLA_RETURN_IF_ERROR(writer.file().ReadAt(0, absl::MakeSpan(loaded_)));
  TOMBOLA_RETURN_IF_ERROR(writer.file().Truncate(0));
  return absl::MakeSpan(loaded_);
}

}  // namespace tombola::shuffler
