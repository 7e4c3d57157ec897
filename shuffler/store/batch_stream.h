// The reports of a batch, into the outbox and out of it.
#ifndef TOMBOLA_SHUFFLER_STORE_BATCH_STREAM_H_
#define TOMBOLA_SHUFFLER_STORE_BATCH_STREAM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::shuffler {

// Takes the reports of a new batch in the order in which they will be delivered. Store::Publish
// ends it; if it goes away before that, nothing of the batch is left.
//
// Not thread-safe.
class BatchWriter {
 public:
  virtual ~BatchWriter() = default;
  // `reports`: whole ones, back to back.
  virtual absl::Status Append(absl::Span<const uint8_t> reports) = 0;
};

// Streams the reports of a batch to whoever delivers it. Every reader yields the very same bytes.
// Goes on working while the batch is erased.
//
// Not thread-safe, but several readers may read one batch.
class BatchReader {
 public:
  virtual ~BatchReader() = default;

  // The next whole records, at most max_bytes of them and at least one; none at the end. Valid
  // until the next call. InvalidArgument: max_bytes is less than a record. DataLoss, instead of the
  // last records: they are not what was written.
  virtual absl::StatusOr<absl::Span<const uint8_t>> Next(int64_t max_bytes) = 0;

  // Of one sealed report.
  virtual int64_t record_bytes() const = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_BATCH_STREAM_H_
