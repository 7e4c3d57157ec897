// The increments of a stream on disk, sealed, as they came: what makes totals the same again.
//
// A record for each group that came together: 4 bytes, how long it is, and as much, sealed for its
// place: `increments` and 8 bytes, how many records there are before it. Within: in 8 bytes each
// how many increments there are before it, the fingerprint and the total after its last one; then
// the increments, 7 bits a byte, low ones first, the eighth says that more follow.
#ifndef TOMBOLA_COMMON_TOTALS_INCREMENT_LOG_H_
#define TOMBOLA_COMMON_TOTALS_INCREMENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/crypto/sealing_key.h"
#include "common/disk/file.h"
#include "common/random/random_source.h"

namespace tombola::stream {

// Increments that came together.
struct IncrementGroup {
  int64_t before = 0;        // increments
  uint64_t fingerprint = 0;  // of how noise was drawn
  int64_t total = 0;         // after the last one, as it was released
  std::vector<int64_t> increments;
};

// Not thread-safe. Memory: that of a group.
class IncrementLog {
 public:
  static constexpr size_t kMostTogether = 65536;

  // Makes the file, empty; another one of that name gives way. Its name is on disk after
  // SyncDirectory.
  static absl::Status Make(const std::string& path);

  // Reads groups in their order. A last one that was cut short had not been acknowledged and is cut
  // off. DataLoss: something is damaged, or was sealed with another key; the status of `tell`.
  static absl::StatusOr<IncrementLog> Open(
      const std::string& path, const crypto::SealingKey& key,
      absl::FunctionRef<absl::Status(const IncrementGroup&)> tell);

  // On disk on return. At most kMostTogether, each from 0 on. After an error the log must be opened
  // anew, and then has the group or has it not.
  absl::Status Append(const IncrementGroup& group, const crypto::SealingKey& key,
                      RandomSource& random);

 private:
  explicit IncrementLog(File file) : file_(std::move(file)) {}

  File file_;
  int64_t records_ = 0;
  int64_t end_ = 0;  // bytes
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_TOTALS_INCREMENT_LOG_H_
