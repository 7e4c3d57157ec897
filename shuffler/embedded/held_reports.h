// Reads what a release takes, on all cores.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_HELD_REPORTS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_HELD_REPORTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/crypto/report_digest.h"
#include "shuffler/digests/seen_files.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/store/detached.h"

namespace tombola::shuffler {

// What logs hold.
struct HeldReports {
  int64_t submissions = 0;
  int64_t reports = 0;
  crypto::DigestSum sum;  // of the reports' digests
  // Of the submissions and of the reports, in no order; of a node's reports, whose windows are not
  // known any more, under window 0.
  DigestsByWindow digests;
};

// Reads the logs, of one batch key; their reports go to `to`, if anywhere, in the order of the
// logs. Memory there is for as many as the logs are said to hold. The caller's thread reads and
// checks; `threads` others hash and copy. Memory on top of the digests: two megabytes a thread, or
// two frames if they are larger. DataLoss: a log is damaged or holds more than it should.
absl::StatusOr<HeldReports> ReadHeld(absl::Span<const LogInfo> logs, size_t threads,
                                     const ReportsTo& to);

// DataLoss unless so much was found as was accepted.
absl::Status CheckComplete(const HeldReports& found, const Amounts& accepted);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_HELD_REPORTS_H_
