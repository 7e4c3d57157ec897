#include "cli/task/earlier_sizes.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/connect/connection.h"
#include "cli/task/size_choice.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/kind/kind.h"
#include "common/kind/set.h"
#include "common/table/filling.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

// What another --sizes-of would mend is bad input.
absl::Status OfEarlier(const absl::Status& status) {
  const std::string message = absl::StrCat("--sizes-of: ", status.message());
  if (absl::IsNotFound(status) || absl::IsFailedPrecondition(status)) {
    return absl::InvalidArgumentError(message);
  }
  return absl::Status(status.code(), message);
}

}  // namespace

absl::StatusOr<std::string> SetSizesLike(const Config& config, const std::string& earlier,
                                         v1::CreateTaskRequest* request) {
  const absl::StatusOr<TaskId> id = ParseTaskId(earlier);
  if (!id.ok()) return OfEarlier(id.status());
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  v1::GetTaskInfoRequest wanted;
  wanted.set_task_id(std::string(AsView(*id)));
  const auto info = Call(*stub, &v1::CollectorQuery::Stub::GetTask, wanted);
  if (!info.ok()) return OfEarlier(info.status());
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info->task()));
  const bool pairs = request->kind() == v1::KIND_KEY_VALUE;
  const absl::string_view kind = pairs ? KeyValueKind::kName : Set::kName;
  if (task->kind().name() != kind) {
    return absl::InvalidArgumentError(absl::StrCat("--sizes-of: \"", task->name(), "\" is a ",
                                                   task->kind().name(), " task, must be ", kind));
  }
  v1::GetAnswerRequest question;
  question.set_task_id(wanted.task_id());
  question.set_confidence(kSizesConfidence);
  question.set_postprocess(v1::POSTPROCESS_NONE);
  if (pairs) {
    question.mutable_key_value()->set_top(1);
  } else {
    question.mutable_set()->set_top(1);
  }
  const auto answer = Call(*stub, &v1::CollectorQuery::Stub::GetAnswer, question);
  if (!answer.ok()) return OfEarlier(answer.status());
  const v1::Sizes& sizes = pairs ? answer->key_value().sizes() : answer->set().sizes();
  if (sizes.shares_size() < 2) {
    return absl::InternalError("--sizes-of: the collector's answer has no sizes");
  }
  const auto values = static_cast<uint64_t>(
      std::max<int64_t>(request->labels_size(), static_cast<int64_t>(request->domain_size())));
  const SizeChoice choice =
      ChooseSize(sizes, std::clamp<uint64_t>(values, 1, mechanism::kMostHeld));
  request->mutable_items()->set_max_items(static_cast<uint32_t>(choice.max_items));
  return Describe(choice, sizes, task->name());
}

}  // namespace tombola::cli
