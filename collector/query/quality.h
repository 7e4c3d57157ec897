// What an answer says about the devices it comes from.
#ifndef TOMBOLA_COLLECTOR_QUERY_QUALITY_H_
#define TOMBOLA_COLLECTOR_QUERY_QUALITY_H_

#include <cstdint>
#include <vector>

#include "collector/quality/warnings.h"
#include "collector/store/batch_ledger.h"
#include "common/task/task.h"

namespace tombola::collector {

// The fields of the same names in collector.proto.
struct Quality {
  int64_t duplicates = 0;
  double shift_per_dishonest = 0;
  int64_t dishonest = 0;
  double shift_at_dishonest_share = 0;
  std::vector<Warning> warnings;
};

// Of a task with a counted batch that holds a submission. All of it follows from the reports of
// whole batches in random order, so that the answer's guarantee covers it.
Quality QualityOf(const Task& task, const TaskTotals& totals);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_QUALITY_H_
