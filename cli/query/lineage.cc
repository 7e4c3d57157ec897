#include "cli/query/lineage.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "cli/connect/named_task.h"
#include "common/base/status_macros.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

enum class Side { kBefore, kAfter };

absl::StatusOr<std::optional<TaskId>> Neighbour(v1::CollectorQuery::Stub& stub, const TaskId& id,
                                                Side side) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, FetchTaskInfo(stub, id));
  if (side == Side::kAfter) {
    if (info.superseded_by().empty()) return std::nullopt;
    TOMBOLA_ASSIGN_OR_RETURN(const auto after,
                             RequireId<TaskId>("superseded_by", info.superseded_by()));
    return after;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  return task->supersedes();
}

}  // namespace

absl::StatusOr<std::vector<TaskId>> LineageOf(v1::CollectorQuery::Stub& stub, const TaskId& id) {
  std::vector<TaskId> lineage;
  for (const Side side : {Side::kBefore, Side::kAfter}) {
    std::vector<TaskId> found;
    std::optional<TaskId> at = id;
    while (true) {
      TOMBOLA_ASSIGN_OR_RETURN(at, Neighbour(stub, *at, side));
      if (!at.has_value()) break;
      if (found.size() == size_t{kMostGenerations}) {
        return absl::OutOfRangeError(
            absl::StrCat("--lineage: more than ", kMostGenerations, " tasks to one side"));
      }
      found.push_back(*at);
    }
    if (side == Side::kBefore) {
      lineage.assign(found.rbegin(), found.rend());
      lineage.push_back(id);
    } else {
      lineage.insert(lineage.end(), found.begin(), found.end());
    }
  }
  return lineage;
}

}  // namespace tombola::cli
