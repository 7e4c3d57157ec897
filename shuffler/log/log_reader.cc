#include "shuffler/log/log_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/disk/file.h"

namespace tombola::shuffler {
namespace {

constexpr int64_t kChunkBytes = int64_t{1} << 20;

absl::Status Damaged(const std::string& path, int64_t offset, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, ", offset ", offset, ": ", what));
}

// Sets header and end, which is that of the header.
absl::Status ReadHeader(const File& file, LogInfo& info) {
  std::vector<uint8_t> bytes(kLogHeaderBytes);
  absl::Status read = file.ReadAt(0, absl::MakeSpan(bytes));
  if (const size_t whole = LogHeaderBytes(bytes); read.ok() && whole != bytes.size()) {
    bytes.resize(whole);
    read = file.ReadAt(0, absl::MakeSpan(bytes));
  }
  if (absl::IsOutOfRange(read)) return Damaged(file.path(), 0, "the log's header is cut short");
  TOMBOLA_RETURN_IF_ERROR(read);
  TOMBOLA_ASSIGN_OR_RETURN(info.header, DecodeLogHeader(bytes, file.path()));
  info.end = static_cast<int64_t>(bytes.size());
  return absl::OkStatus();
}

// Calls `inspect` with chunks of [offset, size), each beginning with the last kFrameHeaderBytes - 1
// bytes of the one before, until it returns true; whether it did.
template <typename Inspect>
absl::StatusOr<bool> AnyChunk(const File& file, int64_t offset, int64_t size, Inspect inspect) {
  std::vector<uint8_t> chunk;
  while (offset < size) {
    const int64_t length = std::min(kChunkBytes, size - offset);
    chunk.resize(static_cast<size_t>(length));
    TOMBOLA_RETURN_IF_ERROR(file.ReadAt(offset, absl::MakeSpan(chunk)));
    if (inspect(absl::MakeConstSpan(chunk))) return true;
    if (offset + length == size) break;
    offset += length - static_cast<int64_t>(kFrameHeaderBytes - 1);
  }
  return false;
}

absl::StatusOr<bool> AnythingFrom(const File& file, int64_t offset, int64_t size) {
  return AnyChunk(file, offset, size, [](absl::Span<const uint8_t> chunk) {
    // All bytes are zero if the first is and each is what the one before it is.
    return chunk.front() != 0 || std::memcmp(chunk.data(), chunk.data() + 1, chunk.size() - 1) != 0;
  });
}

absl::StatusOr<bool> AnyFrameFrom(const File& file, int64_t offset, int64_t size, uint64_t salt) {
  return AnyChunk(file, offset, size, [salt](absl::Span<const uint8_t> chunk) {
    for (; chunk.size() >= kFrameHeaderBytes; chunk.remove_prefix(1)) {
      if (DecodeFrameHeader(chunk, salt).has_value()) return true;
    }
    return false;
  });
}

// OK if the bad frame at `offset` can be what a crash left of the last commit.
absl::Status CheckTorn(const File& file, int64_t offset, int64_t size, uint64_t salt,
                       const FrameReader::Found& frame) {
  if (frame.header.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, AnythingFrom(file, offset + frame.bytes(), size));
    if (more) return Damaged(file.path(), offset, "a frame's payload is damaged, and more follows");
    return absl::OkStatus();
  }
  // Space taken in advance, most often: to look for a header at each of its bytes takes long.
  TOMBOLA_ASSIGN_OR_RETURN(const bool anything, AnythingFrom(file, offset, size));
  if (!anything) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(const bool more, AnyFrameFrom(file, offset + 1, size, salt));
  if (more) return Damaged(file.path(), offset, "a frame's header is damaged, and frames follow");
  return absl::OkStatus();
}

// Checks the whole frame at info.end, counts it and keeps it for the visit.
absl::Status Admit(const File& file, const FrameReader::Found& frame, FrameReader& reader,
                   LogInfo& info) {
  if (frame.header->number != info.frames) {
    return Damaged(
        file.path(), info.end,
        absl::StrCat("frame ", frame.header->number, " where ", info.frames, " belongs"));
  }
  const absl::StatusOr<int64_t> reports =
      CountReports(frame.payload, frame.header->submissions, LayoutOf(info.header));
  if (!reports.ok()) return Damaged(file.path(), info.end, reports.status().message());
  reader.Keep(frame, *reports);
  info.end += frame.bytes();
  ++info.frames;
  info.ended = frame.header->payload_bytes == 0 && frame.header->duplicates == 0;
  info.amounts += {frame.header->submissions, *reports, frame.header->duplicates};
  return absl::OkStatus();
}

// Writes what is there once more, so that the sync that follows cannot leave it out. After a sync
// that failed the system takes the bytes for written though they are in its memory only.
absl::Status WriteAgain(const File& file, int64_t begin, int64_t end) {
  std::vector<uint8_t> bytes(static_cast<size_t>(end - begin));
  TOMBOLA_RETURN_IF_ERROR(file.ReadAt(begin, absl::MakeSpan(bytes)));
  return file.WriteAt(begin, bytes);
}

}  // namespace

absl::StatusOr<LogHeader> ReadLogHeader(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path));
  LogInfo info;
  TOMBOLA_RETURN_IF_ERROR(ReadHeader(file, info));
  return std::move(info.header);
}

absl::Status ReadLogChunks(const LogInfo& info, const VisitChunk& visit) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(info.path));
  LogInfo read;
  TOMBOLA_RETURN_IF_ERROR(ReadHeader(file, read));
  FrameReader reader(file, info.end, read.header.salt, visit);
  while (read.end < info.end) {
    TOMBOLA_ASSIGN_OR_RETURN(const FrameReader::Found frame, reader.At(read.end));
    if (!frame.whole) return Damaged(info.path, read.end, "a frame is damaged");
    TOMBOLA_RETURN_IF_ERROR(Admit(file, frame, reader, read));
  }
  return reader.Finish();
}

absl::StatusOr<LogInfo> RecoverLogChunks(const std::string& path, const VisitChunk& visit) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToWrite(path));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  LogInfo info;
  info.path = path;
  TOMBOLA_RETURN_IF_ERROR(ReadHeader(file, info));
  int64_t last = info.end;  // where the last whole frame begins: the only one that can be in doubt
  FrameReader reader(file, size, info.header.salt, visit);
  while (info.end < size) {
    TOMBOLA_ASSIGN_OR_RETURN(const FrameReader::Found frame, reader.At(info.end));
    if (!frame.whole) {
      TOMBOLA_RETURN_IF_ERROR(CheckTorn(file, info.end, size, info.header.salt, frame));
      TOMBOLA_ASSIGN_OR_RETURN(const bool torn, AnythingFrom(file, info.end, size));
      info.cut = torn ? size - info.end : 0;
      break;
    }
    last = info.end;
    TOMBOLA_RETURN_IF_ERROR(Admit(file, frame, reader, info));
  }
  TOMBOLA_RETURN_IF_ERROR(reader.Finish());
  TOMBOLA_RETURN_IF_ERROR(WriteAgain(file, last, info.end));
  if (info.end < size) TOMBOLA_RETURN_IF_ERROR(file.Truncate(info.end));
  TOMBOLA_RETURN_IF_ERROR(file.SyncData());
  return info;
}

void EndLog(LogInfo& info) {
  if (info.ended) return;
  const auto file = File::OpenToWrite(info.path);
  if (!file.ok()) return;
  FrameBuilder empty;
  const absl::Span<const uint8_t> bytes = empty.Finish(info.frames, 0, info.header.salt);
  absl::Status written = file->WriteAt(info.end, bytes);
  if (written.ok()) written = file->SyncData();
  if (!written.ok()) {
    file->Truncate(info.end).IgnoreError();
    return;
  }
  info.end += static_cast<int64_t>(bytes.size());
  ++info.frames;
  info.ended = true;
}

}  // namespace tombola::shuffler
