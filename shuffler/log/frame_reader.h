// Reads the frames of a held log from front to back, many at a time.
#ifndef TOMBOLA_SHUFFLER_LOG_FRAME_READER_H_
#define TOMBOLA_SHUFFLER_LOG_FRAME_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/disk/file.h"
#include "shuffler/log/log_format.h"

namespace tombola::shuffler {

// Whole, checked frames of one log, in their order.
struct FrameChunk {
  struct Frame {
    size_t begin = 0;  // of its payload in `memory`
    size_t bytes = 0;
    uint32_t submissions = 0;
  };
  std::vector<uint8_t> memory;
  std::vector<Frame> frames;
  int64_t reports = 0;  // in all of them

  absl::Span<const uint8_t> Payload(const Frame& frame) const {
    return absl::MakeConstSpan(memory).subspan(frame.begin, frame.bytes);
  }
};

// May take the chunk, or exchange it for another one whose memory is no longer needed.
using VisitChunk = std::function<absl::Status(FrameChunk&)>;

// Holds a megabyte of the file, or one frame if that is larger, and the same again while it moves
// on. Not thread-safe.
class FrameReader {
 public:
  // Of a file that ends at `size`. `file` and `visit` must outlive it.
  FrameReader(const File& file, int64_t size, uint64_t salt, const VisitChunk& visit)
      : file_(file), size_(size), salt_(salt), visit_(visit) {}

  // What is at a place of the file.
  struct Found {
    std::optional<FrameHeader> header;  // nothing: no valid header there
    bool whole = false;                 // its payload is there and its checksum right
    absl::Span<const uint8_t> payload;  // if whole; valid until the next call

    int64_t bytes() const {
      return static_cast<int64_t>(kFrameHeaderBytes) + static_cast<int64_t>(header->payload_bytes);
    }
  };
  // `offset` grows from call to call. May pass on what was kept before.
  absl::StatusOr<Found> At(int64_t offset);
  // The frame that was just found belongs to what is passed on; it has this many reports.
  void Keep(const Found& found, int64_t reports);
  // Passes on what is left.
  absl::Status Finish();

 private:
  // Makes [offset, offset + bytes) of the file readable.
  absl::Status Need(int64_t offset, int64_t bytes);
  const uint8_t* Place(int64_t offset) const { return chunk_.memory.data() + (offset - begin_); }

  const File& file_;
  const int64_t size_;
  const uint64_t salt_;
  const VisitChunk& visit_;
  FrameChunk chunk_;            // holds [begin_, end_) of the file
  std::vector<uint8_t> spare_;  // memory for the next
  int64_t begin_ = 0;
  int64_t end_ = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_FRAME_READER_H_
