// What the shuffler notes beside a batch in its outbox. Never sent.
#ifndef TOMBOLA_SHUFFLER_OUTBOX_BATCH_RECORD_H_
#define TOMBOLA_SHUFFLER_OUTBOX_BATCH_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/task/manifest.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

struct BatchRecord {
  Manifest totals;
  int64_t sealed_bytes = 0;
  uint32_t reports_checksum = 0;
  uint32_t manifest_checksum = 0;
  // The logs that went into it: they are gone, or are being removed.
  std::vector<uint64_t> sources;
};

std::string EncodeBatchRecord(const BatchRecord& record);
// DataLoss if the bytes are no batch record, or its counts contradict each other.
absl::StatusOr<BatchRecord> DecodeBatchRecord(absl::string_view bytes, absl::string_view path);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_OUTBOX_BATCH_RECORD_H_
