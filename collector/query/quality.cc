#include "collector/query/quality.h"

#include "collector/quality/warnings.h"
#include "common/kind/kind.h"

namespace tombola::collector {

Quality QualityOf(const Task& task, const TaskTotals& totals) {
  const mechanism::Scheme& scheme = *task.scheme();
  const mechanism::Table& table = *task.kind().tables()[0];
  const int64_t submissions = totals.tally.submissions;
  Quality quality;
  quality.duplicates = totals.duplicates;
  quality.shift_per_dishonest = ShiftPerDishonest(scheme, table, totals.tally);
  quality.dishonest = submissions - task.Honest(submissions);
  quality.shift_at_dishonest_share =
      static_cast<double>(quality.dishonest) * quality.shift_per_dishonest;
  quality.warnings =
      Warnings(scheme, table,
               {.tally = totals.tally,
                .counts = totals.counts.tables.front().counts,
                .hashes = totals.counts.tables.front().hashes,
                .messages = totals.good + totals.rejected.total() - totals.tally.fakes});
  return quality;
}

}  // namespace tombola::collector
