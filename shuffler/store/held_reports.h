// Reads what a release takes, on all cores.
#ifndef TOMBOLA_SHUFFLER_STORE_HELD_REPORTS_H_
#define TOMBOLA_SHUFFLER_STORE_HELD_REPORTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/crypto/report_digest.h"
#include "shuffler/store/log_writer.h"
#include "shuffler/store/seen_files.h"

namespace tombola::shuffler {

// What logs hold.
struct HeldReports {
  int64_t submissions = 0;
  int64_t reports = 0;
  crypto::DigestSum sum;    // of the reports' digests
  DigestsByWindow digests;  // of the submissions and of the reports, in no order
};

// Where the reports go, if anywhere. One of these:
struct ReportsTo {
  // Memory for as many reports as the logs are said to hold: they lie there in the order of the
  // logs.
  absl::Span<uint8_t> memory;
  // Or whoever takes them in that order, in the caller's thread.
  std::function<absl::Status(absl::Span<const uint8_t>)> take;
};

// Reads the logs, of one task and key. The caller's thread reads and checks; `threads` others hash
// and copy. Memory on top of the digests: two megabytes a thread, or two frames if they are larger.
// DataLoss: a log is damaged or holds more than it should.
absl::StatusOr<HeldReports> ReadHeld(absl::Span<const LogInfo> logs, size_t threads,
                                     const ReportsTo& to);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_HELD_REPORTS_H_
