#include "cli/demo/year.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/connect/connection.h"
#include "common/base/status_macros.h"
#include "tombola/v1/report.pb.h"

namespace tombola::cli {
namespace {

// Of the machine's true time: how long something that must come may take.
constexpr absl::Duration kPatience = absl::Minutes(2);
constexpr absl::Duration kLook = absl::Milliseconds(3);

// Asks until it is so. The machine does not sleep meanwhile.
template <typename Condition>
absl::Status Await(absl::string_view what, const Condition& condition) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool is_so, condition());
    if (is_so) return absl::OkStatus();
    if (absl::Now() > deadline) {
      return absl::DeadlineExceededError(absl::StrCat("waited in vain for ", what));
    }
    absl::SleepFor(kLook);
  }
}

// Whether devices can seal to all nodes of a period.
absl::StatusOr<bool> HasKeys(v1::Shuffler::Stub& shuffler, const Task& task, uint64_t period) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::SignedKeyList signed_list,
      Call(shuffler, &v1::Shuffler::Stub::GetKeyList, v1::GetKeyListRequest()));
  v1::KeyList list;
  if (!list.ParseFromString(signed_list.key_list())) {
    return absl::InternalError("the key list cannot be read");
  }
  const std::vector<uint64_t> nodes = task.PartsOf(period);
  return std::all_of(nodes.begin(), nodes.end(), [&](uint64_t node) {
    return std::any_of(list.keys().begin(), list.keys().end(), [&](const v1::HpkeKey& key) {
      return key.part() == node && key.task_id() == AsView(task.id());
    });
  });
}

// Whether everything of periods that are over has reached the collector or was destroyed. What is
// neither held nor in the outbox while a batch is made shows in the counters, in which a submission
// counts once for each of its nodes.
absl::StatusOr<bool> IsDecided(v1::ShufflerOperator::Stub& shuffler, const Task& task) {
  v1::GetShufflerStatusRequest request;
  request.set_task_id(std::string(AsView(task.id())));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::ShufflerStatus status,
                           Call(shuffler, &v1::ShufflerOperator::Stub::GetStatus, request));
  const v1::ShufflerTaskStatus& told = status.tasks(0);
  const absl::Time now = absl::Now();
  uint64_t held = 0;
  for (const v1::HeldBatch& batch : told.held()) {
    if (task.periods()->Closes(batch.period()) <= now) return false;
    held += batch.waiting() * (batch.node() > 0 ? 1 : task.PartsOf(batch.period()).size());
  }
  return told.waiting_delivery() == 0 &&
         told.accepted() == held + told.forwarded() + told.expired();
}

}  // namespace

absl::Status ReportYear(const Config& config, const Task& task, const Clients& clients,
                        Commutes& commutes, SleptClock& clock, Progress* progress,
                        ManyOutcome* outcome) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto device, Device(config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto shuffler, Operator(config));
  const Periods& periods = *task.periods();
  const auto decided = [&] { return IsDecided(*shuffler, task); };
  for (uint64_t period = 1; period <= periods.count(); ++period) {
    const absl::Time begins = periods.Begins(period);
    clock.SleepUntil(begins + (periods.Ends(period) - begins) / 2);
    TOMBOLA_RETURN_IF_ERROR(Await(absl::StrCat("the keys of period ", period),
                                  [&] { return HasKeys(*device, task, period); }));
    commutes.Begin(static_cast<int64_t>(period));
    ManyOutcome reported;
    TOMBOLA_RETURN_IF_ERROR(ReportMany(
        clients, [&](size_t limit) { return Devices{.values = commutes.Next(limit)}; }, progress,
        &reported));
    outcome->accepted += reported.accepted;
    outcome->duplicates += reported.duplicates;
    outcome->rejected += reported.rejected;
    TOMBOLA_RETURN_IF_ERROR(Await("the nodes of earlier periods", decided));
  }
  clock.SleepUntil(periods.Closes(periods.count()) + absl::Seconds(1));
  return Await("the nodes of the last period", decided);
}

absl::StatusOr<YearErrors> ErrorsOfYear(const Config& config, const Task& task,
                                        const Commutes& commutes, double confidence) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto analyst, Analyst(config));
  v1::GetAnswerRequest request;
  request.set_task_id(std::string(AsView(task.id())));
  request.set_confidence(confidence);
  request.set_postprocess(v1::POSTPROCESS_NONE);
  request.mutable_stream()->set_series(true);
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Answer answer,
                           Call(*analyst, &v1::CollectorQuery::Stub::GetAnswer, request));
  YearErrors errors;
  double squares = 0, variances = 0;
  for (const v1::StreamTotal& total : answer.stream().totals()) {
    const std::vector<int64_t> truth = commutes.CountsOf(total);
    for (int i = 0; i < total.counts_size(); ++i) {
      const auto value = static_cast<size_t>(total.shares().values(i));
      const auto known = static_cast<double>(truth[value]);
      const double error = total.counts(i) - known;
      squares += error * error;
      variances += std::pow(total.count_standard_errors(i), 2);
      errors.largest = std::max(errors.largest, std::abs(error));
      errors.inside += total.count_low(i) <= known && known <= total.count_high(i);
      ++errors.totals;
    }
  }
  const auto all = static_cast<double>(std::max<int64_t>(1, errors.totals));
  errors.root_mean_square = std::sqrt(squares / all);
  errors.expected = std::sqrt(variances / all);
  return errors;
}

void WriteYearErrors(const YearErrors& errors, double confidence, std::ostream& out) {
  const double share = 100 * static_cast<double>(errors.inside) /
                       static_cast<double>(std::max<int64_t>(1, errors.totals));
  out << absl::StrFormat(
      "every total of every period, %d counts: root mean square error %.1f, expected %.1f, at most "
      "%.1f\n%.1f %% of them are inside their %g %% intervals\n",
      errors.totals, errors.root_mean_square, errors.expected, errors.largest, share,
      100 * confidence);
}

}  // namespace tombola::cli
