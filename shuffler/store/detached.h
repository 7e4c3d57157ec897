// What was held under one batch key, on its way out.
#ifndef TOMBOLA_SHUFFLER_STORE_DETACHED_H_
#define TOMBOLA_SHUFFLER_STORE_DETACHED_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/base/batch_key.h"
#include "common/crypto/report_digest.h"

namespace tombola::shuffler {

// Where the reports go. One of these:
struct ReportsTo {
  // Memory for Detached::most_reports() of them: they lie at its beginning, back to back.
  absl::Span<uint8_t> memory;
  // Or whoever takes them, in the caller's thread.
  std::function<absl::Status(absl::Span<const uint8_t> reports)> take;
};

// What was read: distinct submissions, and what was left out as a repetition of one.
struct DetachedTotals {
  int64_t submissions = 0;
  int64_t reports = 0;
  int64_t duplicates = 0;
  // Of the reports' digests. The store's, because it recognises submissions by the same digests:
  // each report is hashed once.
  crypto::DigestSum digest_sum;
};

// Reads it. Store::Publish ends it; if it goes away before that, everything is held again, and
// Store::Held says what was found to be there.
//
// Not thread-safe.
class Detached {
 public:
  virtual ~Detached() = default;

  virtual const BatchKey& of() const = 0;
  // Of one sealed report.
  virtual int64_t sealed_bytes() const = 0;
  // How many there are at most; exactly, where repetitions are recognised at the door.
  virtual int64_t most_reports() const = 0;

  // Every report of every distinct submission, once, in an order that says nothing but perhaps the
  // order of commits. Call once. DataLoss: what was acknowledged is damaged or not there.
  virtual absl::StatusOr<DetachedTotals> Read(const ReportsTo& to) = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_DETACHED_H_
