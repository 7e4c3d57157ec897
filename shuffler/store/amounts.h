// What the store counts.
#ifndef TOMBOLA_SHUFFLER_STORE_AMOUNTS_H_
#define TOMBOLA_SHUFFLER_STORE_AMOUNTS_H_

#include <cstdint>

#include "common/base/batch_key.h"

namespace tombola::shuffler {

// The most bytes of a sealed report that a task may have.
inline constexpr int64_t kMaxSealedBytes = int64_t{1} << 20;

struct Amounts {
  int64_t submissions = 0;
  int64_t reports = 0;
  int64_t duplicates = 0;

  Amounts& operator+=(const Amounts& other) {
    submissions += other.submissions;
    reports += other.reports;
    duplicates += other.duplicates;
    return *this;
  }
};

// What is held under one batch key and would go into its next batch.
struct HeldInfo {
  BatchKey of;
  int64_t submissions = 0;
  int64_t reports = 0;
  int64_t duplicates = 0;  // recognised while it was held
  // Of a stream: it is held for its period, for all nodes of that together, and goes into no batch
  // before Store::Scatter.
  bool for_period = false;
};

// How a released batch ended.
enum class BatchEnd {
  kForwarded,  // the collector has it
  kExpired,    // the collector can open it no more: its key is destroyed
};

// How often a report is on disk, or will be for a moment: what is held for a period of a stream is
// written once more for its nodes before the first copy goes.
constexpr int64_t CopiesOf(bool for_period) { return for_period ? 2 : 1; }

// What the store has to keep, of one task or of all: what the limits are about.
struct Load {
  int64_t reports = 0;       // held: waiting or leaving
  int64_t bytes = 0;         // of their sealed reports, CopiesOf
  int64_t outbox_bytes = 0;  // of batches that are not erased

  Load& operator+=(const Load& other) {
    reports += other.reports;
    bytes += other.bytes;
    outbox_bytes += other.outbox_bytes;
    return *this;
  }
};

// Submissions of a task over its life. accepted = held + in the outbox + forwarded + expired.
//
// A submission of a stream counts once for every batch that it is in, from the moment when it is
// accepted: each of them ends on its own. As a duplicate it counts once, with its period's node.
struct TaskCounters {
  int64_t accepted = 0;
  int64_t duplicates = 0;
  int64_t forwarded = 0;
  int64_t expired = 0;
  int64_t released_batches = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_AMOUNTS_H_
