// Streams the reports of a batch to whoever delivers it.
#ifndef TOMBOLA_SHUFFLER_STORE_BATCH_READER_H_
#define TOMBOLA_SHUFFLER_STORE_BATCH_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "shuffler/store/batch_record.h"
#include "shuffler/store/file.h"

namespace tombola::shuffler {

// Not thread-safe, but several readers may read one batch. Every reader yields the very same bytes.
// Goes on working while the batch is erased.
class BatchReader {
 public:
  // DataLoss if the file has not the length that the record says.
  static absl::StatusOr<std::unique_ptr<BatchReader>> Open(const std::string& path,
                                                           const BatchRecord& record);

  // The next whole records, at most max_bytes of them and at least one; none at the end. Valid
  // until the next call. InvalidArgument: max_bytes is less than a record. DataLoss, instead of the
  // last records: the file does not have the checksum that was noted when it was written.
  absl::StatusOr<absl::Span<const uint8_t>> Next(int64_t max_bytes);

  // Of one sealed report.
  int64_t record_bytes() const { return record_bytes_; }

 private:
  BatchReader(File file, const BatchRecord& record, int64_t size)
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

#endif  // TOMBOLA_SHUFFLER_STORE_BATCH_READER_H_
