#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "collector/http/api.h"
#include "collector/query/envelope.h"
#include "common/base/time_text.h"
#include "common/json/answer.h"
#include "common/task/task.h"

namespace tombola::collector {
namespace {

Json TimeJson(const BatchRecord& batch) {
  if (!batch.finished.has_value()) return Json();
  return Json(TimeText(*batch.finished));
}

Json BatchJson(const BatchRecord& batch) {
  return {{"batch", ToHex(batch.batch)},
          {"period", batch.of.part == 0 ? Json() : Json(batch.of.part)},
          {"time", TimeJson(batch)},
          {"state", NameOf(batch.state)},
          {"reports", batch.tally.submissions},
          {"messages", batch.good},
          {"fakes", batch.tally.fakes},
          {"rejected", batch.rejected.total()},
          {"rejected_by_cause", RejectedJson(ToWire(batch.rejected))},
          {"duplicates", batch.duplicates},
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
          {"reports", info.reports()},
          {"messages", info.messages()},
          {"fakes", info.fakes()},
          {"rejected", info.rejected()},
          {"rejected_by_cause", RejectedJson(ToWire(totals.rejected))},
          {"expired", info.expired()},
          {"batches", std::move(rows)}};
}

}  // namespace tombola::collector
