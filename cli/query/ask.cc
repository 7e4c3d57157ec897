#include "cli/query/ask.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/connect/connection.h"
#include "cli/query/strings_wait.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

// How long after its end a task's last batch may take to come.
constexpr absl::Duration kDelivery = absl::Minutes(1);

struct PeriodRange {
  uint64_t first = 1, last = 1;
};

// The periods that are asked about, as far as the task has them.
PeriodRange AskedOf(const Periods& periods, const v1::GetAnswerRequest& request) {
  PeriodRange range = {std::max<uint64_t>(1, request.first_period()), periods.count()};
  if (request.last_period() != 0) range.last = std::min(range.last, request.last_period());
  if (request.since() != 0) {
    range.first = periods.LastBefore(absl::FromUnixSeconds(request.since())) + 1;
  }
  if (request.until() != 0) range.last = periods.LastBefore(absl::FromUnixSeconds(request.until()));
  return range;
}

// When no answer is to be expected any more. What is held then is on its way for a little while.
absl::Time LastMoment(const Task& task, const v1::GetAnswerRequest& request) {
  if (!task.periods().has_value()) return task.not_after() + kDelivery;
  const PeriodRange asked = AskedOf(*task.periods(), request);
  return task.periods()->Closes(std::max<uint64_t>(1, asked.last)) + kDelivery;
}

std::string WaitsFor(const Task& task, const v1::TaskInfo& info,
                     const v1::GetAnswerRequest& request, absl::Time now) {
  if (!task.periods().has_value()) {
    return absl::StrCat(info.held_percent(), " % of the planned submissions are held");
  }
  const Periods& periods = *task.periods();
  const PeriodRange asked = AskedOf(periods, request);
  const uint64_t next = std::max(asked.first, periods.LastClosed(now) + 1);
  if (next > asked.last) return "the batch of what has ended may be on its way";
  return absl::StrCat("period ", next, " ends ", TimeText(periods.Ends(next)), " and leaves ",
                      TimeText(periods.Closes(next)), " if it has enough submissions");
}

}  // namespace

absl::StatusOr<v1::Answer> Ask(v1::CollectorQuery::Stub& stub, const v1::GetAnswerRequest& request,
                               bool wait) {
  std::string said;
  while (true) {
    absl::StatusOr<v1::Answer> answer = AskUntilFound(stub, request);
    if (!wait || !absl::IsFailedPrecondition(answer.status())) return answer;
    v1::GetTaskInfoRequest about;
    about.set_task_id(request.task_id());
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                             Call(stub, &v1::CollectorQuery::Stub::GetTask, about));
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    const absl::Time now = absl::Now();
    const bool late = now > LastMoment(*task, request);
    // What is held after the periods that were asked about, while the task goes on, is of others.
    const bool others = late && now <= task->not_after() + kDelivery;
    const bool held = info.held_percent() != 0 && !others;
    if ((late || info.closed()) && !held) return answer;
    if (std::string news = WaitsFor(*task, info, request, now); news != said) {
      said = std::move(news);
      std::cerr << "waiting: " << said << "\n";
    }
    absl::SleepFor(absl::Seconds(1));
  }
}

}  // namespace tombola::cli
