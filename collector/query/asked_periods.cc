#include "collector/query/asked_periods.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/time_text.h"

namespace tombola::collector {
namespace {

constexpr int kMostRuns = 1000;

absl::StatusOr<PartRange> ByNumber(const Periods& periods, const v1::GetAnswerRequest& request) {
  const PartRange range = {std::max<uint64_t>(1, request.first_period()),
                           request.last_period() == 0 ? periods.count() : request.last_period()};
  if (!periods.Has(range.first) || !periods.Has(range.last)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a period must be between 1 and ", periods.count(), ", as the task has them"));
  }
  if (range.first > range.last) {
    return absl::InvalidArgumentError(
        "first_period (since as a number) must not be after last_period (until as a number)");
  }
  return range;
}

absl::StatusOr<PartRange> ByTime(const Periods& periods, const v1::GetAnswerRequest& request) {
  if (request.since() < 0 || request.until() < 0) {
    return absl::InvalidArgumentError("since and until must be Unix times in seconds");
  }
  PartRange range = {1, periods.count()};
  if (request.since() != 0) {
    range.first = periods.LastBefore(absl::FromUnixSeconds(request.since())) + 1;
  }
  if (request.until() != 0) range.last = periods.LastBefore(absl::FromUnixSeconds(request.until()));
  if (range.first > range.last) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no period of the task begins at or after since and before until: the first begins ",
        TimeText(periods.Begins(1)), ", the last ", TimeText(periods.Begins(periods.count()))));
  }
  return range;
}

// ", or it was counted ... and lost", by the newest restore in which a batch of what was asked for
// may have been: one after its first period could leave. Not only one whose copy is older than
// that: a batch may be on its way for days. Empty: there is none.
std::string OrLost(const Task& task, const std::optional<PartRange>& asked,
                   const std::vector<CatalogRestore>& restores) {
  if (restores.empty()) return "";
  const CatalogRestore& newest = restores.back();
  if (asked.has_value() && task.periods()->Closes(asked->first) >= newest.restored) return "";
  return absl::StrCat(", or it was counted after ", TimeText(newest.taken),
                      " and lost when the collector was brought back from a copy of then on ",
                      TimeText(newest.restored));
}

// 0: there is none.
uint64_t LastOf(const PartRuns& counted) { return counted.empty() ? 0 : counted.last(); }

}  // namespace

absl::StatusOr<std::optional<PartRange>> AskedPeriods(const Task& task,
                                                      const v1::GetAnswerRequest& request) {
  const bool by_number = request.first_period() != 0 || request.last_period() != 0;
  const bool by_time = request.since() != 0 || request.until() != 0;
  if (!by_number && !by_time) return std::nullopt;
  if (!task.periods().has_value()) {
    return absl::InvalidArgumentError(
        "the task has no periods to choose from: it has no interval, or merges them");
  }
  if (by_number && by_time) {
    return absl::InvalidArgumentError("periods must be named by number or by time, not by both");
  }
  return by_number ? ByNumber(*task.periods(), request) : ByTime(*task.periods(), request);
}

std::string NothingCounted(const CatalogEntry& entry, const std::optional<PartRange>& asked,
                           const std::vector<CatalogRestore>& restores, absl::Time now) {
  const Task& task = *entry.task;
  const bool over = entry.closed || now >= task.not_after();
  const std::string or_lost = OrLost(task, asked, restores);
  const std::string why =
      absl::StrCat("there were too few submissions (tombola status says how many expired)", or_lost,
                   ", or the batch is still on its way");
  if (!asked.has_value()) {
    if (over && entry.expired > 0) {
      return absl::StrCat("no batch of this task has been counted, and ", entry.expired,
                          " submissions were destroyed: they were too few for its guarantee when "
                          "the task or a period of it was over",
                          or_lost);
    }
    return over
               ? absl::StrCat("no batch of this task has been counted: ", why)
               : absl::StrCat("no batch of this task has been counted yet: the next one has about ",
                              entry.held_percent, " % of the planned ",
                              task.batch_policy().planned_submissions, " submissions", or_lost);
  }
  const Periods& periods = *task.periods();
  const std::string which = asked->first == asked->last
                                ? absl::StrCat("period ", asked->first)
                                : absl::StrCat("periods ", asked->first, " to ", asked->last);
  const uint64_t next = std::max(asked->first, periods.LastClosed(now) + 1);
  if (over || next > asked->last) {
    return absl::StrCat("no batch of ", which, " has been counted: ", why);
  }
  return absl::StrCat("no batch of ", which, " has been counted yet: period ", next, " ends ",
                      TimeText(periods.Ends(next)), " and leaves ", TimeText(periods.Closes(next)),
                      " if it has enough submissions");
}

uint64_t BegunPeriods(const Periods& periods, const std::optional<PartRange>& asked,
                      const PartRuns& counted, absl::Time now) {
  const PartRange range = asked.value_or(PartRange{1, periods.count()});
  // A device whose clock is ahead may be in the next one already.
  const uint64_t begun = std::max(periods.At(now + periods.grace()), LastOf(counted));
  return std::min(range.last, begun) - range.first + 1;
}

PartRange OverPeriods(const Periods& periods, const std::optional<PartRange>& asked,
                      const PartRuns& counted, absl::Time now) {
  PartRange range = asked.value_or(PartRange{1, periods.count()});
  const uint64_t known = std::max(periods.LastClosed(now), LastOf(counted));
  range.last = std::max(range.first, std::min(range.last, known));
  return range;
}

v1::Periods DescribePeriods(const Periods& periods, const std::optional<PartRange>& asked,
                            const PartRuns& counted, absl::Time now) {
  const PartRange range = OverPeriods(periods, asked, counted, now);
  v1::Periods wire;
  wire.set_first(range.first);
  wire.set_last(range.last);
  wire.set_begins(absl::ToUnixSeconds(periods.Begins(range.first)));
  wire.set_ends(absl::ToUnixSeconds(periods.Ends(range.last)));
  wire.set_counted(counted.Count());
  uint64_t missing = 0;
  for (const PartRange& run : counted.MissingFrom(range)) {
    missing += run.last - run.first + 1;
    if (wire.missing_runs_size() == kMostRuns) continue;
    v1::PeriodRun* const added = wire.add_missing_runs();
    added->set_first(run.first);
    added->set_last(run.last);
  }
  wire.set_missing(missing);
  return wire;
}

}  // namespace tombola::collector
