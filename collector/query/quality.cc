#include "collector/query/quality.h"

#include "collector/quality/shift.h"

namespace tombola::collector {

Quality QualityOf(const Task& task, const TaskTotals& totals) {
  const mechanism::Mechanism& mechanism = *task.mechanism();
  const int64_t submissions = totals.tally.submissions;
  Quality quality;
  quality.refused = totals.rejected;
  quality.duplicates = totals.quality.duplicates;
  quality.shift_per_dishonest = ShiftPerDishonest(mechanism, totals.tally);
  quality.dishonest = submissions - task.Honest(submissions);
  quality.shift_at_dishonest_share =
      static_cast<double>(quality.dishonest) * quality.shift_per_dishonest;
  quality.warnings =
      Warnings(mechanism, {.tally = totals.tally,
                           .counts = totals.counts,
                           .hashes = totals.quality.hashes,
                           .messages = totals.good + totals.rejected.total() - totals.tally.fakes});
  return quality;
}

}  // namespace tombola::collector
