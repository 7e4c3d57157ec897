#include "shuffler/log/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/status_macros.h"

namespace tombola::shuffler {
namespace {

constexpr int64_t kWindowBytes = int64_t{1} << 20;

}  // namespace

absl::StatusOr<FrameReader::Found> FrameReader::At(int64_t offset) {
  constexpr auto kHeader = static_cast<int64_t>(kFrameHeaderBytes);
  Found found;
  if (offset + kHeader > size_) return found;
  TOMBOLA_RETURN_IF_ERROR(Need(offset, kHeader));
  found.header = DecodeFrameHeader(absl::MakeConstSpan(Place(offset), kFrameHeaderBytes), salt_);
  if (!found.header.has_value() || offset + found.bytes() > size_) return found;
  TOMBOLA_RETURN_IF_ERROR(Need(offset, found.bytes()));
  found.payload = absl::MakeConstSpan(Place(offset + kHeader), found.header->payload_bytes);
  found.whole = PayloadChecksum(found.payload, salt_) == found.header->payload_checksum;
  return found;
}

void FrameReader::Keep(const Found& found, int64_t reports) {
  if (found.header->submissions == 0) return;
  chunk_.frames.push_back({static_cast<size_t>(found.payload.data() - chunk_.memory.data()),
                           found.payload.size(), found.header->submissions});
  chunk_.reports += reports;
}

absl::Status FrameReader::Need(int64_t offset, int64_t bytes) {
  if (offset + bytes <= end_) return absl::OkStatus();
  const int64_t window = std::min(std::max(kWindowBytes, bytes), size_ - offset);
  // Memory is only ever grown: to set it to zero again and again would cost more than reading it.
  if (spare_.size() < static_cast<size_t>(window)) spare_.resize(static_cast<size_t>(window));
  const int64_t carried = std::max<int64_t>(end_ - offset, 0);
  if (carried > 0) std::memcpy(spare_.data(), Place(offset), static_cast<size_t>(carried));
  TOMBOLA_RETURN_IF_ERROR(file_.ReadAt(
      offset + carried, absl::MakeSpan(spare_).subspan(static_cast<size_t>(carried),
                                                       static_cast<size_t>(window - carried))));
  TOMBOLA_RETURN_IF_ERROR(Finish());
  std::swap(chunk_.memory, spare_);
  begin_ = offset;
  end_ = offset + window;
  return absl::OkStatus();
}

absl::Status FrameReader::Finish() {
  absl::Status visited;
  if (!chunk_.frames.empty()) visited = visit_(chunk_);
  chunk_.frames.clear();
  chunk_.reports = 0;
  begin_ = end_ = 0;
  return visited;
}

}  // namespace tombola::shuffler
