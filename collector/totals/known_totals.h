// How many have taken part in the periods of a task, and how many reports were refused: totals that
// one submission changes by little, so that noise of that size hides it.
//
// A batch that falls short never comes, so one submission may decide whether all of a period's are
// there. So of a batch only those count that it has beyond what it must have, and a period, or a
// stream's node, without a batch counts as the most that it may have had, one less than a batch
// needs. A total is therefore exact where every period has a batch, and else at most so much too
// large. Of refused reports no more count than the submissions beyond may have sent; a batch that
// had to have all of them counts none.
//
// Pure.
#ifndef TOMBOLA_COLLECTOR_TOTALS_KNOWN_TOTALS_H_
#define TOMBOLA_COLLECTOR_TOTALS_KNOWN_TOTALS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "collector/store/batch_ledger.h"
#include "common/task/task.h"

namespace tombola::collector {

enum class Quantity { kParticipants, kRejected };

inline constexpr Quantity kQuantities[] = {Quantity::kParticipants, Quantity::kRejected};
// "participants" or "rejected".
absl::string_view NameOf(Quantity quantity);

// The totals up to the periods 1, 2, ... of a task that has periods, by all of its batches that
// have come, whatever became of them. `needed`: the fewest submissions with which a batch of a task
// that is no stream leaves.
std::vector<int64_t> TotalsOf(const Task& task, int64_t needed,
                              absl::Span<const BatchRecord> batches, Quantity quantity);

// What one submission may change any of these totals by.
int64_t MostChange(const Task& task, Quantity quantity);

// By how many steps of that size at most, up and down, the change goes as periods pass and batches
// come in any order. A period's submission is in its total for good: one. That of a stream is in
// several nodes, each of which may come late or never while others stand in for it.
int64_t MostSteps(const Task& task);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_TOTALS_KNOWN_TOTALS_H_
