// From counts to the bins of an answer.
#ifndef TOMBOLA_COLLECTOR_QUERY_ANSWER_H_
#define TOMBOLA_COLLECTOR_QUERY_ANSWER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/postprocess/postprocess.h"
#include "common/task/task.h"

namespace tombola::collector {

struct Question {
  Postprocess postprocess = Postprocess::kPop;
  double confidence = 0.95;      // of each bin's interval, in (0, 1)
  int64_t top = 0;               // the largest ones only, largest first; 0: all
  std::vector<uint64_t> values;  // these only; empty: all
};

// One row a bin; columns of equal length.
struct Bins {
  std::vector<uint64_t> values;
  std::vector<double> frequencies;
  std::vector<double> raw;
  std::vector<double> standard_errors;
  std::vector<double> low;
  std::vector<double> high;
};

// InvalidArgument: the question is out of its bounds. FailedPrecondition: nothing was counted yet.
// Post-processing always sees the whole domain; the question then picks what is shown.
absl::StatusOr<Bins> Answer(const Task& task, const TaskTotals& totals, const Question& question);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ANSWER_H_
