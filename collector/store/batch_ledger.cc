#include "collector/store/batch_ledger.h"

#include <algorithm>

namespace tombola::collector {

const char* NameOf(BatchState state) {
  switch (state) {
    case BatchState::kCounted:
      return "counted";
    case BatchState::kQuarantined:
      return "quarantined";
    case BatchState::kExpired:
      return "expired";
  }
  return "";
}

absl::Status TaskTotals::Add(const BatchRecord& record) {
  switch (record.state) {
    case BatchState::kQuarantined:
      ++quarantined_batches;
      if (record.good <= record.tally.fakes) return absl::OkStatus();
      smallest_quarantined =
          quarantined_parts.empty() ? record.users : std::min(smallest_quarantined, record.users);
      quarantined_parts.Add(record.of.part);
      opened_parts.Add(record.of.part);
      return absl::OkStatus();
    case BatchState::kExpired:
      ++expired_batches;
      return absl::OkStatus();
    case BatchState::kCounted:
      break;
  }
  if (!counts.Merge(record.counts).ok()) {
    return absl::DataLossError("a batch has counts of other tables than its task");
  }
  ++counted_batches;
  parts.Add(record.of.part);
  opened_parts.Add(record.of.part);
  smallest_batch = counted_batches == 1 ? record.users : std::min(smallest_batch, record.users);
  good += record.good;
  tally.submissions += record.tally.submissions;
  tally.fakes += record.tally.fakes;
  rejected += record.rejected;
  duplicates += record.duplicates;
  return absl::OkStatus();
}

}  // namespace tombola::collector
