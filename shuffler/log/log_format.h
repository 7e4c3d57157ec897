// The bytes of a held log; docs/store-format.md shows them.
#ifndef TOMBOLA_SHUFFLER_LOG_LOG_FORMAT_H_
#define TOMBOLA_SHUFFLER_LOG_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/batch_key.h"
#include "common/base/encoding.h"
#include "shuffler/digests/digest.h"

namespace tombola::shuffler {

// What a log says of itself.
struct LogHeader {
  BatchKey of;
  int64_t sealed_bytes = 0;  // of one sealed report
  uint64_t sequence = 0;     // unique in the task, never used again
  // Starts the checksums of the frames, so that no sender can put bytes into a report that would
  // pass for a frame.
  uint64_t salt = 0;
};

inline constexpr size_t kLogHeaderBytes = 88;
std::string EncodeLogHeader(const LogHeader& header);
absl::StatusOr<LogHeader> DecodeLogHeader(absl::Span<const uint8_t> bytes, absl::string_view path);

// `<key hex>-<part>-<sequence>.log`
std::string LogName(const BatchKey& of, uint64_t sequence);

// What a commit appends: its header and its submissions.
struct FrameHeader {
  uint32_t number = 0;  // of the frame in its log, from 0
  uint32_t payload_bytes = 0;
  uint32_t submissions = 0;
  uint32_t duplicates = 0;  // recognised since the frame before
  uint32_t payload_checksum = 0;
};

inline constexpr size_t kFrameHeaderBytes = 28;
// Nothing if the bytes are no frame header under this salt.
std::optional<FrameHeader> DecodeFrameHeader(absl::Span<const uint8_t> bytes, uint64_t salt);
uint32_t PayloadChecksum(absl::Span<const uint8_t> payload, uint64_t salt);

inline constexpr size_t kSubmissionHeaderBytes = 22;

// One submission in a frame.
struct SubmissionView {
  Digest id;
  uint32_t window = 0;
  absl::Span<const uint8_t> reports;
};

// How many reports are in the payload of a frame. DataLoss if it is not `submissions` whole
// submissions with a report or more each.
absl::StatusOr<int64_t> CountReports(absl::Span<const uint8_t> payload, uint32_t submissions,
                                     int64_t sealed_bytes);

// Visits what is in a payload for which CountReports succeeded. Nothing is checked again.
template <typename Visit>
void ForEachCounted(absl::Span<const uint8_t> payload, uint32_t submissions, size_t sealed_bytes,
                    const Visit& visit) {
  for (uint32_t i = 0; i < submissions; ++i) {
    SubmissionView submission;
    std::memcpy(submission.id.bytes.data(), payload.data(), kDigestBytes);
    Decoder decoder(payload.subspan(kDigestBytes, kSubmissionHeaderBytes - kDigestBytes));
    submission.window = decoder.Number<uint32_t>();
    const size_t bytes = decoder.Number<uint16_t>() * sealed_bytes;
    submission.reports = payload.subspan(kSubmissionHeaderBytes, bytes);
    visit(submission);
    payload.remove_prefix(kSubmissionHeaderBytes + bytes);
  }
}

// Builds one frame in one buffer. Use once.
class FrameBuilder {
 public:
  FrameBuilder() : bytes_(kFrameHeaderBytes, '\0') {}
  // `reports` holds `count` sealed reports.
  void Add(const Digest& id, uint32_t window, uint16_t count, absl::Span<const uint8_t> reports);
  // Fills in the header; the bytes live as long as the builder.
  absl::Span<const uint8_t> Finish(uint32_t number, uint32_t duplicates, uint64_t salt);

  uint32_t submissions() const { return submissions_; }
  int64_t reports() const { return reports_; }

 private:
  std::string bytes_;
  uint32_t submissions_ = 0;
  int64_t reports_ = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_LOG_FORMAT_H_
