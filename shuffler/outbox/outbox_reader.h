// Reads the reports of a batch in the outbox.
#ifndef TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_READER_H_
#define TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/disk/file.h"
#include "shuffler/outbox/batch_record.h"
#include "shuffler/store/batch_stream.h"

namespace tombola::shuffler {

// DataLoss where BatchReader says so: the file does not have the checksum that was noted when it
// was written.
class OutboxReader final : public BatchReader {
 public:
  // DataLoss if the file has not the length that the record says.
  static absl::StatusOr<std::unique_ptr<BatchReader>> Open(const std::string& path,
                                                           const BatchRecord& record);

  absl::StatusOr<absl::Span<const uint8_t>> Next(int64_t max_bytes) override;
  int64_t record_bytes() const override { return record_bytes_; }

 private:
  OutboxReader(File file, const BatchRecord& record, int64_t size)
      : file_(std::move(file)),
        record_bytes_(record.sealed_bytes),
        checksum_(record.reports_checksum),
        size_(size) {}

  const File file_;
  const int64_t record_bytes_;
  const uint32_t checksum_;
  const int64_t size_;
  int64_t offset_ = 0;
  uint32_t running_ = 0;
  std::vector<uint8_t> chunk_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_OUTBOX_OUTBOX_READER_H_
