// What every answer says, whatever its kind.
#ifndef TOMBOLA_COLLECTOR_QUERY_ENVELOPE_H_
#define TOMBOLA_COLLECTOR_QUERY_ENVELOPE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "collector/catalog/catalog.h"
#include "collector/postprocess/postprocess.h"
#include "collector/query/guarantee.h"
#include "collector/query/quality.h"
#include "collector/store/batch_ledger.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// What every request says besides its question. InvalidArgument: the confidence is not in (0, 1),
// or no way to post-process is named.
absl::StatusOr<Postprocess> CheckRequest(const v1::GetAnswerRequest& request);

v1::Rejected ToWire(const RejectedReports& rejected);

// All of the answer but its body and its periods, of a task with a counted batch that holds a
// submission.
void FillEnvelope(const Task& task, const TaskTotals& totals, const Guarantee& guarantee,
                  Quality quality, const std::vector<CatalogRestore>& restores, v1::Answer* answer);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ENVELOPE_H_
