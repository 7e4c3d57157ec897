#include "collector/query/quality.h"

#include <algorithm>

#include "collector/quality/warnings.h"
#include "common/kind/kind.h"

namespace tombola::collector {

Quality QualityOf(const Task& task, const TaskTotals& totals) {
  const mechanism::Scheme& scheme = *task.scheme();
  const mechanism::Tables& tables = task.kind().tables();
  const int64_t submissions = totals.tally.submissions;
  Quality quality;
  quality.duplicates = totals.duplicates;
  quality.dishonest = submissions - task.Honest(submissions);
  Observed observed{.tally = totals.tally,
                    .messages = totals.good + totals.rejected.total() - totals.tally.fakes};
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableCounts& table = totals.counts.tables[i];
    const mechanism::Tally tally = task.kind().TallyOf(i, totals.tally, table.reports);
    if (tally.submissions > 0) {
      quality.shift_per_dishonest =
          std::max(quality.shift_per_dishonest, ShiftPerDishonest(scheme, *tables[i], tally));
    }
    // Of cells that do not all occur no count is surprising by itself.
    if (tables[i]->sparse()) continue;
    observed.tables.push_back(
        {.table = *tables[i], .tally = tally, .counts = table.counts, .hashes = table.hashes});
  }
  quality.shift_at_dishonest_share =
      static_cast<double>(quality.dishonest) * quality.shift_per_dishonest;
  quality.warnings = Warnings(scheme, observed);
  return quality;
}

}  // namespace tombola::collector
