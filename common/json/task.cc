#include "common/json/task.h"

#include "common/json/mechanism.h"
#include "common/mechanism/local_hash.h"
#include "common/task/task_state.h"

namespace tombola {

Json TaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now) {
  Json parameters = ParametersJson(*task.mechanism());
  if (const auto* local_hash = dynamic_cast<const mechanism::LocalHash*>(task.mechanism().get())) {
    parameters["family"] =
        local_hash->options().family == mechanism::HashFamily::kPlane ? "plane" : "affine";
  }
  const BatchPolicy& policy = task.batch_policy();
  return Json{{"task", ToHex(task.id())},
              {"name", task.name()},
              {"state", StateOf(task, info.closed(), now)},
              {"domain", task.domain().size()},
              {"mechanism", std::string(task.mechanism()->name())},
              {"parameters", parameters},
              {"epsilon", task.target().epsilon},
              {"delta", task.target().delta},
              {"local_epsilon", FiniteOrNull(task.mechanism()->local_epsilon())},
              {"messages_per_user", task.mechanism()->expected_reports_per_submission()},
              {"max_messages_per_user", task.mechanism()->max_reports_per_submission()},
              {"users", policy.planned_submissions},
              {"min_batch", policy.smallest_batch},
              {"needed", info.needed()},
              {"dishonest", policy.dishonest_share},
              {"interval_seconds", absl::ToInt64Seconds(policy.interval)},
              {"submissions_per_device", task.submissions_per_device()},
              {"begins", TimeText(task.not_before())},
              {"ends", TimeText(task.not_after())},
              {"predicted_mse", info.predicted_mse()},
              {"reports", info.submissions()},
              {"messages", info.reports()},
              {"fakes", info.fakes()},
              {"rejected", info.rejected()},
              {"counted_batches", info.counted_batches()},
              {"quarantined_batches", info.quarantined_batches()},
              {"expired_batches", info.expired_batches()},
              {"held_percent", info.held_percent()},
              {"expired", info.expired()}};
}

Json WholeTaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now) {
  Json json = TaskJson(task, info, now);
  json["labels"] = task.domain().labels();
  const auto other = task.domain().other();
  json["other"] = other.has_value() ? Json(task.domain().NameOf(*other)) : Json();
  return json;
}

}  // namespace tombola
