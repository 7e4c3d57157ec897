// The bytes of a held log; docs/store-format.md shows them.
#ifndef TOMBOLA_SHUFFLER_LOG_LOG_FORMAT_H_
#define TOMBOLA_SHUFFLER_LOG_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/batch_key.h"
#include "common/base/encoding.h"
#include "shuffler/digests/digest.h"
#include "shuffler/store/submit_batch.h"

namespace tombola::shuffler {

// What a log says of itself.
struct LogHeader {
  BatchKey of;
  int64_t sealed_bytes = 0;  // of one sealed report
  uint64_t sequence = 0;     // unique in the task, never used again
  // Starts the checksums of the frames, so that no sender can put bytes into a report that would
  // pass for a frame.
  uint64_t salt = 0;
  // Of a period of a stream: the batches that each submission has a group of reports for.
  std::vector<NodeKey> nodes = {};
  // Of a node of a stream: the sequence numbers of the logs of a period that it was made from. It
  // counts only once these are over.
  std::vector<uint64_t> sources = {};

  bool of_period() const { return !nodes.empty(); }
  bool of_node() const { return !sources.empty(); }
};

// Of a log that is of neither.
inline constexpr size_t kLogHeaderBytes = 88;
// How long a header is, by its first kLogHeaderBytes: the bytes that DecodeLogHeader wants.
size_t LogHeaderBytes(absl::Span<const uint8_t> begin);
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

// How the submissions of a log lie in its frames.
struct FrameLayout {
  bool ids = true;    // each begins with the digest of its id and its window; a node's do not
  size_t groups = 1;  // so many lists of reports follow, each after its length
  size_t sealed_bytes = 0;
};
FrameLayout LayoutOf(const LogHeader& header);

// One submission in a frame, or what it says in one group.
struct SubmissionView {
  Digest id;
  uint32_t window = 0;
  absl::Span<const uint8_t> reports;
};

// How many reports are in the payload of a frame. DataLoss if it is not `submissions` whole
// submissions with a report or more in each group.
absl::StatusOr<int64_t> CountReports(absl::Span<const uint8_t> payload, uint32_t submissions,
                                     const FrameLayout& layout);

// Visits what is in a payload for which CountReports succeeded, group by group: `group` is below
// layout.groups, and id and window are those of its submission, if the log has them. Nothing is
// checked again.
template <typename Visit>
void ForEachGroup(absl::Span<const uint8_t> payload, uint32_t submissions,
                  const FrameLayout& layout, const Visit& visit) {
  for (uint32_t i = 0; i < submissions; ++i) {
    SubmissionView submission = {};
    if (layout.ids) {
      std::memcpy(submission.id.bytes.data(), payload.data(), kDigestBytes);
      submission.window = Decoder(payload.subspan(kDigestBytes)).Number<uint32_t>();
      payload.remove_prefix(kDigestBytes + sizeof(uint32_t));
    }
    for (size_t group = 0; group < layout.groups; ++group) {
      const size_t bytes = Decoder(payload).Number<uint16_t>() * layout.sealed_bytes;
      submission.reports = payload.subspan(sizeof(uint16_t), bytes);
      visit(group, submission);
      payload.remove_prefix(sizeof(uint16_t) + bytes);
    }
  }
}

// Builds one frame in one buffer. Use once.
class FrameBuilder {
 public:
  FrameBuilder() : bytes_(kFrameHeaderBytes, '\0') {}
  // `reports` holds `count` sealed reports.
  void Add(const Digest& id, uint32_t window, uint16_t count, absl::Span<const uint8_t> reports);
  // The same of a period: a submission begins, and then come its groups in the order of the nodes.
  void Begin(const Digest& id, uint32_t window);
  void AddGroup(uint16_t count, absl::Span<const uint8_t> reports);
  // Of a node: one group is all of it.
  void AddAlone(uint16_t count, absl::Span<const uint8_t> reports);
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
