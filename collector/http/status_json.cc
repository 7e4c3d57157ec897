#include "collector/http/status_json.h"

#include <string>
#include <utility>

#include "common/task/task_state.h"

namespace tombola::collector {
namespace {

Json ByCause(const RejectedReports& rejected) {
  return {{"unopened", rejected.unopened},
          {"malformed", rejected.malformed},
          {"out_of_range", rejected.out_of_range}};
}

Json TimeJson(const BatchRecord& batch) {
  if (!batch.finished.has_value()) return Json();
  return Json(TimeText(*batch.finished));
}

Json BatchJson(const BatchRecord& batch) {
  return {{"batch", ToHex(batch.batch)},
          {"time", TimeJson(batch)},
          {"state", NameOf(batch.state)},
          {"reports", batch.tally.submissions},
          {"messages", batch.good},
          {"fakes", batch.tally.fakes},
          {"rejected", batch.rejected.total()},
          {"rejected_by_cause", ByCause(batch.rejected)},
          {"duplicates", batch.quality.duplicates},
          {"users", batch.users}};
}

}  // namespace

Json StatusJson(const Task& task, const v1::TaskInfo& info, const TaskTotals& totals,
                const std::vector<BatchRecord>& batches, absl::Time now) {
  Json rows = Json::array();
  for (const BatchRecord& batch : batches) rows.push_back(BatchJson(batch));
  return {{"task", ToHex(task.id())},
          {"name", task.name()},
          {"state", StateOf(task, info.closed(), now)},
          {"held_percent", info.held_percent()},
          {"needed", info.needed()},
          {"planned", task.batch_policy().planned_submissions},
          {"counted_batches", info.counted_batches()},
          {"quarantined_batches", info.quarantined_batches()},
          {"expired_batches", info.expired_batches()},
          {"reports", info.submissions()},
          {"messages", info.reports()},
          {"fakes", info.fakes()},
          {"rejected", info.rejected()},
          {"rejected_by_cause", ByCause(totals.rejected)},
          {"expired", info.expired()},
          {"batches", std::move(rows)}};
}

}  // namespace tombola::collector
