#include "shuffler/batch/gate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/task/task.h"

namespace tombola::shuffler {
namespace {

// Usually the second after it closes.
constexpr absl::Duration kScatteredWithin = absl::Minutes(1);

}  // namespace

absl::StatusOr<Gate> Gate::Create(std::shared_ptr<const Task> task) {
  TOMBOLA_ASSIGN_OR_RETURN(int64_t needed, NeededSubmissions(*task));
  if (const mechanism::Nodes* const nodes = task->nodes()) {
    // What it is for one period has shown that the target can be met.
    needed = 0;
    for (uint64_t node = 1; node <= static_cast<uint64_t>(nodes->count()); ++node) {
      needed = std::max(needed, task->SmallestBatchOf(node));
    }
  }
  return Gate(std::move(task), needed);
}

int64_t Gate::NeededIn(uint64_t part) const {
  return task_->nodes() == nullptr ? needed_ : task_->SmallestBatchOf(part);
}

bool Gate::TargetHolds(int64_t held, uint64_t part) const {
  if (held < NeededIn(part)) return false;
  if (const mechanism::Nodes* const nodes = task_->nodes()) {
    return task_->Honest(held) >= (*nodes)[part].honest;
  }
  // needed_ came from a search over counts; what leaves is certified at its own count.
  const absl::StatusOr<double> delta =
      task_->scheme()->Delta(task_->Honest(held), task_->target().epsilon);
  return delta.ok() && *delta <= task_->target().delta;
}

Verdict Gate::Decide(int64_t held, uint64_t part, bool interval_ended, bool over) const {
  if (held == 0) return Verdict::kHold;
  const bool full =
      !task_->periods().has_value() && held >= task_->batch_policy().planned_submissions;
  const bool time = over || interval_ended || full;
  if (time && TargetHolds(held, part)) return Verdict::kRelease;
  return over ? Verdict::kDestroy : Verdict::kHold;
}

int64_t Gate::IntervalAt(absl::Time now) const {
  const absl::Duration interval = task_->batch_policy().interval;
  if (interval == absl::ZeroDuration() || now <= task_->not_before()) return 0;
  return (now - task_->not_before()) / interval;
}

std::optional<double> Gate::EpsilonFor(int64_t held) const {
  const int64_t honest = task_->Honest(held);
  if (honest < 2 || task_->nodes() != nullptr) return std::nullopt;
  const auto epsilon = task_->scheme()->EpsilonAt(honest, task_->target().delta);
  if (!epsilon.ok()) return std::nullopt;
  return *epsilon;
}

std::string Gate::ExplainPeriod(uint64_t period, absl::Time now) const {
  if (now >= task_->periods()->Closes(period) + kScatteredWithin) {
    return absl::StrCat("is stuck since ", TimeText(task_->periods()->Closes(period)),
                        ", after period ", period, ": it could not be taken apart for its ",
                        task_->PartsOf(period).size(),
                        " nodes, which wait for it; the shuffler's log says why (scatter_failed)");
  }
  return absl::StrCat("is held for ", task_->PartsOf(period).size(), " nodes until ",
                      TimeText(task_->periods()->Closes(period)), ", after period ", period);
}

std::string Gate::Explain(int64_t held, uint64_t part) const {
  const std::string leaving =
      task_->periods().has_value()
          ? absl::StrCat(TimeText(task_->periods()->Closes(part)), ", after period ", part)
          : "";
  if (const int64_t needed = NeededIn(part); held < needed) {
    return absl::StrCat("waits for ", needed - held, " more submissions: below ", needed,
                        " the target epsilon does not hold",
                        leaving.empty() ? "" : absl::StrCat("; else destroyed at ", leaving));
  }
  if (!leaving.empty()) return absl::StrCat("the target holds; leaves at ", leaving);
  const int64_t planned = task_->batch_policy().planned_submissions;
  if (held < planned) {
    const bool interval = task_->batch_policy().interval > absl::ZeroDuration();
    return absl::StrCat("the target holds; leaves at ", planned, " submissions",
                        interval ? " or at the end of the interval" : "");
  }
  return "is about to leave";
}

}  // namespace tombola::shuffler
