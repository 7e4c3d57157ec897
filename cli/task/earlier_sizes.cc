#include "cli/task/earlier_sizes.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "cli/task/size_choice.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/kind.h"
#include "common/kind/number.h"
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

struct EarlierTask {
  std::unique_ptr<v1::CollectorQuery::Stub> stub;
  std::shared_ptr<const Task> task;

  absl::StatusOr<v1::Answer> Ask(v1::GetAnswerRequest question) const {
    question.set_task_id(std::string(AsView(task->id())));
    question.set_confidence(kSizesConfidence);
    absl::StatusOr<v1::Answer> answer = Call(*stub, &v1::CollectorQuery::Stub::GetAnswer, question);
    if (!answer.ok()) return OfEarlier(answer.status());
    return answer;
  }
  absl::Status Refuse(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("--sizes-of: \"", task->name(), "\" ", what));
  }
};

absl::StatusOr<EarlierTask> Fetch(const Config& config, const std::string& earlier) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--sizes-of", earlier));
  EarlierTask read;
  TOMBOLA_ASSIGN_OR_RETURN(read.stub, Analyst(config));
  v1::GetTaskInfoRequest wanted;
  wanted.set_task_id(std::string(AsView(id)));
  const auto info = Call(*read.stub, &v1::CollectorQuery::Stub::GetTask, wanted);
  if (!info.ok()) return OfEarlier(info.status());
  TOMBOLA_ASSIGN_OR_RETURN(read.task, Task::Parse(info->task()));
  return read;
}

}  // namespace

absl::StatusOr<std::string> SetSizesLike(const Config& config, const std::string& earlier,
                                         v1::CreateTaskRequest* request) {
  TOMBOLA_ASSIGN_OR_RETURN(const EarlierTask of, Fetch(config, earlier));
  const bool pairs = request->kind() == v1::KIND_KEY_VALUE;
  const absl::string_view kind = pairs ? KeyValueKind::kName : Set::kName;
  if (of.task->kind().name() != kind) {
    return of.Refuse(absl::StrCat("is a ", of.task->kind().name(), " task, must be ", kind));
  }
  v1::GetAnswerRequest question;
  question.set_postprocess(v1::POSTPROCESS_NONE);
  if (pairs) {
    question.mutable_key_value()->set_top(1);
  } else {
    question.mutable_set()->set_top(1);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Answer answer, of.Ask(question));
  const v1::Sizes& sizes = pairs ? answer.key_value().sizes() : answer.set().sizes();
  if (sizes.shares_size() < 2) {
    return absl::InternalError("--sizes-of: the collector's answer has no sizes");
  }
  const auto values = static_cast<uint64_t>(
      std::max<int64_t>(request->labels_size(), static_cast<int64_t>(request->domain_size())));
  const SizeChoice choice =
      ChooseSize(sizes, std::clamp<uint64_t>(values, 1, mechanism::kMostHeld));
  request->mutable_items()->set_max_items(static_cast<uint32_t>(choice.max_items));
  return Describe(choice, sizes, of.task->name());
}

absl::StatusOr<EarlierRecords> RecordsOf(const Config& config, const std::string& earlier) {
  TOMBOLA_ASSIGN_OR_RETURN(const EarlierTask of, Fetch(config, earlier));
  const bool numbers = of.task->kind().name() == NumberKind::kName;
  if (!numbers && of.task->kind().name() != Histogram::kName) {
    return of.Refuse(absl::StrCat("is a ", of.task->kind().name(),
                                  " task, must be histogram or number, of how many records a "
                                  "device has"));
  }
  v1::GetAnswerRequest question;
  // What could be noise alone counts as none: far out a device would weigh so much.
  question.set_postprocess(v1::POSTPROCESS_NORM_SUB);
  question.mutable_histogram();
  if (numbers) {
    const NumberCells& cells = static_cast<const NumberKind&>(of.task->kind()).cells();
    if (cells.missing() || cells.levels.has_value()) {
      return of.Refuse("must be without --missing and --mean-only");
    }
    question.mutable_number();
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Answer answer, of.Ask(question));
  absl::StatusOr<AnsweredSizes> sizes = SizesOfAnswer(answer, of.task->domain().other());
  if (!sizes.ok()) return of.Refuse(sizes.status().message());
  return EarlierRecords{.name = of.task->name(), .answered = *std::move(sizes)};
}

}  // namespace tombola::cli
