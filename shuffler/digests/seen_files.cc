#include "shuffler/digests/seen_files.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"
#include "shuffler/digests/digest.h"
#include "shuffler/disk/append_writer.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/disk/record.h"

namespace tombola::shuffler {
namespace {

constexpr absl::string_view kSeenKind = "TMBLSEEN";
constexpr absl::string_view kSuffix = ".digests";
constexpr size_t kHeaderBytes = kRecordOverhead + 48;
constexpr size_t kChunkDigests = size_t{1} << 16;

static_assert(sizeof(Digest) == kDigestBytes, "digests are read and written as arrays");

absl::Span<const uint8_t> Flat(absl::Span<const Digest> digests) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(digests.data()),
                             digests.size() * kDigestBytes);
}

std::string EncodeHeader(const TaskId& task, uint32_t window, int64_t count, uint32_t checksum) {
  std::string body;
  PutBytes(task, body);
  PutNumber(window, body);
  PutNumber(count, body);
  PutNumber(checksum, body);
  return WrapRecord(kSeenKind, body);
}

// Reads one file from front to back.
class SeenReader {
 public:
  static absl::StatusOr<SeenReader> Open(const std::string& path, const TaskId& task,
                                         uint32_t window) {
    TOMBOLA_ASSIGN_OR_RETURN(File file, File::OpenToRead(path));
    TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file.Size());
    std::vector<uint8_t> header(std::min(kHeaderBytes, static_cast<size_t>(size)));
    TOMBOLA_RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(header)));
    TOMBOLA_ASSIGN_OR_RETURN(const auto body, UnwrapRecord(kSeenKind, header, path));
    Decoder decoder(body);
    const bool same = decoder.Bytes<32>() == task && decoder.Number<uint32_t>() == window;
    const int64_t count = decoder.Number<int64_t>();
    const uint32_t checksum = decoder.Number<uint32_t>();
    const auto digest_bytes = static_cast<int64_t>(kDigestBytes);
    const int64_t rest = size - static_cast<int64_t>(kHeaderBytes);
    if (!decoder.ok() || !same || rest % digest_bytes != 0 || count != rest / digest_bytes) {
      return absl::DataLossError(absl::StrCat(path, ": name, header and size do not agree"));
    }
    return SeenReader(std::move(file), count, checksum);
  }

  // The next digests, in order; none at the end. Valid until the next call.
  absl::StatusOr<absl::Span<const Digest>> Next() {
    chunk_.resize(std::min(kChunkDigests, static_cast<size_t>(left_)));
    if (chunk_.empty()) {
      if (running_ != checksum_) {
        return absl::DataLossError(absl::StrCat(file_.path(), ": the checksum is wrong"));
      }
      return absl::Span<const Digest>();
    }
    const absl::Span<uint8_t> flat =
        absl::MakeSpan(chunk_.front().bytes.data(), chunk_.size() * kDigestBytes);
    TOMBOLA_RETURN_IF_ERROR(file_.ReadAt(offset_, flat));
    running_ = Crc32c(flat, running_);
    offset_ += static_cast<int64_t>(flat.size());
    left_ -= static_cast<int64_t>(chunk_.size());
    return absl::MakeConstSpan(chunk_);
  }

 private:
  SeenReader(File file, int64_t count, uint32_t checksum)
      : file_(std::move(file)), left_(count), checksum_(checksum) {}

  File file_;
  int64_t offset_ = kHeaderBytes;
  int64_t left_;
  uint32_t checksum_;
  uint32_t running_ = 0;
  std::vector<Digest> chunk_;
};

// Appends the union of `added`, sorted, and what `old` has to come.
absl::Status WriteUnion(SeenReader* old, absl::Span<const Digest> added, AppendWriter& out) {
  std::vector<Digest> merged;
  while (old != nullptr) {
    TOMBOLA_ASSIGN_OR_RETURN(const absl::Span<const Digest> chunk, old->Next());
    if (chunk.empty()) break;
    const size_t before =
        std::upper_bound(added.begin(), added.end(), chunk.back()) - added.begin();
    merged.clear();
    std::set_union(chunk.begin(), chunk.end(), added.begin(), added.begin() + before,
                   std::back_inserter(merged));
    TOMBOLA_RETURN_IF_ERROR(out.Append(Flat(merged)));
    added.remove_prefix(before);
  }
  return out.Append(Flat(added));
}

absl::Status MergeWindow(const std::string& path, const TaskId& task, uint32_t window,
                         std::vector<Digest>& added) {
  if (!std::is_sorted(added.begin(), added.end())) SortDigests(absl::MakeSpan(added), 1);
  added.erase(std::unique(added.begin(), added.end()), added.end());
  std::optional<SeenReader> old;
  absl::StatusOr<SeenReader> opened = SeenReader::Open(path, task, window);
  if (opened.ok()) {
    old = *std::move(opened);
  } else if (!absl::IsNotFound(opened.status())) {
    return opened.status();
  }
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(DraftOf(path)));
  TOMBOLA_ASSIGN_OR_RETURN(AppendWriter out,
                           AppendWriter::Create(DraftOf(path), size_t{1} << 20, kHeaderBytes));
  TOMBOLA_RETURN_IF_ERROR(WriteUnion(old.has_value() ? &*old : nullptr, added, out));
  TOMBOLA_RETURN_IF_ERROR(out.Flush());
  const int64_t count =
      (out.end() - static_cast<int64_t>(kHeaderBytes)) / static_cast<int64_t>(kDigestBytes);
  const std::string header = EncodeHeader(task, window, count, out.checksum());
  TOMBOLA_RETURN_IF_ERROR(out.file().WriteAt(0, AsBytes(header)));
  TOMBOLA_RETURN_IF_ERROR(out.file().SyncData());
  return AdoptDraft(path);
}

// The window that a file name stands for.
std::optional<uint32_t> WindowOf(absl::string_view name) {
  uint32_t window;
  if (!absl::ConsumeSuffix(&name, kSuffix) || !absl::SimpleAtoi(name, &window)) return std::nullopt;
  return window;
}

}  // namespace

std::string SeenFiles::TaskDirectory(const TaskId& task) const {
  return absl::StrCat(directory_, "/", ToHex(task));
}

absl::Status SeenFiles::Load(const Visit& visit) const {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> tasks, ListDirectory(directory_));
  for (const std::string& task_name : tasks) {
    const std::string directory = absl::StrCat(directory_, "/", task_name);
    const std::optional<TaskId> task = IdFromHex<TaskId>(task_name);
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListWithoutDrafts(directory));
    for (const std::string& name : names) {
      const std::string path = absl::StrCat(directory, "/", name);
      const std::optional<uint32_t> window = WindowOf(name);
      if (!task.has_value() || !window.has_value()) {
        return absl::FailedPreconditionError(absl::StrCat(path, " does not belong here"));
      }
      TOMBOLA_ASSIGN_OR_RETURN(SeenReader reader, SeenReader::Open(path, *task, *window));
      while (true) {
        TOMBOLA_ASSIGN_OR_RETURN(const absl::Span<const Digest> digests, reader.Next());
        if (digests.empty()) break;
        visit(*task, *window, digests);
      }
    }
    TOMBOLA_RETURN_IF_ERROR(SyncDirectory(directory));
  }
  return absl::OkStatus();
}

absl::Status SeenFiles::Merge(const TaskId& task, DigestsByWindow& digests, uint32_t oldest) const {
  const std::string directory = TaskDirectory(task);
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(directory));
  for (auto& [window, added] : digests) {
    if (window < oldest) continue;
    const std::string path = absl::StrCat(directory, "/", window, kSuffix);
    TOMBOLA_RETURN_IF_ERROR(MergeWindow(path, task, window, added));
  }
  return absl::OkStatus();
}

absl::Status SeenFiles::Forget(const TaskId& task, uint32_t window) const {
  const std::string directory = TaskDirectory(task);
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(directory));
  bool removed = false;
  for (const std::string& name : names) {
    const std::optional<uint32_t> found = WindowOf(name);
    if (!found.has_value() || *found >= window) continue;
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(directory, "/", name)));
    removed = true;
  }
  return removed ? SyncDirectory(directory) : absl::OkStatus();
}

}  // namespace tombola::shuffler
