// Seals plaintext reports of one task for the collector.
#ifndef TOMBOLA_CLIENT_SEAL_REPORT_SEALER_H_
#define TOMBOLA_CLIENT_SEAL_REPORT_SEALER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/crypto/hpke_seal.h"
#include "common/random/random_source.h"
#include "common/task/key_list.h"
#include "common/task/task.h"

namespace tombola::client {

// Guarantees that only the holder of the collector's key can read a report, that a report opens for
// its own task, key and part only, and that all sealed reports of a task have one length. Does not
// hide that a report was sent. Not thread-safe: one a thread.
class ReportSealer {
 public:
  // For reports of this part of the task.
  static absl::StatusOr<ReportSealer> Create(const Task& task, const HpkeKey& key, uint64_t part);

  // Seals each of the fixed-size reports in `plaintext` apart and appends them to `sealed`.
  absl::Status Append(absl::string_view plaintext, RandomSource& random, std::string* sealed);

 private:
  ReportSealer(crypto::Sealer sealer, size_t report_bytes)
      : sealer_(std::move(sealer)), report_bytes_(report_bytes) {}

  crypto::Sealer sealer_;
  size_t report_bytes_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SEAL_REPORT_SEALER_H_
