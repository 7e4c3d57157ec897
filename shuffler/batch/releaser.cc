#include "shuffler/batch/releaser.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "shuffler/release/fakes_and_signature.h"

namespace tombola::shuffler {

Releaser::Releaser(Parts parts)
    : parts_(std::move(parts)),
      batches_(parts_.metrics->Counter("tombola_shuffler_batches_released_total",
                                       "Batches put into the outbox.")),
      submissions_(parts_.metrics->Counter("tombola_shuffler_submissions_released_total",
                                           "Submissions in them.")),
      fakes_(parts_.metrics->Counter("tombola_shuffler_fakes_released_total",
                                     "The shuffler's own fake reports in them.")),
      failures_(parts_.metrics->Counter("tombola_shuffler_releases_failed_total",
                                        "Releases that will be tried again.")),
      scattered_(parts_.metrics->Counter("tombola_shuffler_periods_scattered_total",
                                         "Periods of streams that were taken apart for their "
                                         "nodes.")),
      stuck_(parts_.metrics->Gauge("tombola_shuffler_stuck_periods",
                                   "Periods of streams that are over and could not be taken apart "
                                   "when that was last tried: the nodes over them wait.")),
      last_(parts_.metrics->Gauge("tombola_shuffler_last_release_timestamp_seconds",
                                  "When a batch was last put into the outbox; 0: not yet.")),
      seconds_(parts_.metrics->Seconds("tombola_shuffler_release_seconds",
                                       "From the decision until the batch is in the outbox.")) {
  for (const auto cause :
       {ExpiryCause::kGuarantee, ExpiryCause::kPeriod, ExpiryCause::kKeyDestroyed}) {
    CountExpired(*parts_.metrics, cause, 0);
  }
}

Releaser::Moment Releaser::Look(const CatalogEntry& entry, const Gate& gate, absl::Time now) {
  Moment moment;
  moment.over = entry.closed || now >= entry.task->not_after();
  if (!entry.task->batch_policy().merge_periods) return moment;
  moment.interval = gate.IntervalAt(now);
  const std::optional<int64_t> ended = parts_.intervals->Ended(entry.task->id());
  moment.interval_ended = ended.has_value() && *moment.interval > *ended;
  return moment;
}

std::optional<ExpiryCause> Releaser::EndOf(const BatchKey& of, const Task& task,
                                           const Moment& moment,
                                           const absl::StatusOr<absl::Time>& now) const {
  if (!now.ok()) return std::nullopt;
  if (task.periods().has_value() && *now >= task.periods()->Closes(of.part)) {
    return ExpiryCause::kPeriod;
  }
  // A period is waited for even where its key has closed: else who makes the list of keys could cut
  // a batch short.
  const bool over =
      moment.over || (!task.periods().has_value() &&
                      parts_.catalog->StandingOf(of.key, *now) == KeyStanding::kClosed);
  return over ? std::optional(ExpiryCause::kGuarantee) : std::nullopt;
}

Releaser::WatchedTasks Releaser::LookAtTasks(const absl::StatusOr<absl::Time>& now) {
  WatchedTasks tasks;
  for (const CatalogEntry& entry : parts_.catalog->Tasks()) {
    const auto gate = parts_.gates->For(entry.task);
    if (!gate.ok()) continue;  // it was refused at the door: nothing can be held for it
    tasks[entry.task->id()] = {.task = entry.task,
                               .gate = *gate,
                               .moment = now.ok() ? Look(entry, **gate, *now) : Moment()};
    if (now.ok()) ForgetOldWindows(*entry.task, *now);
  }
  return tasks;
}

void Releaser::ScatterPeriods(const WatchedTasks& tasks, absl::Time now) {
  for (const HeldInfo& held : parts_.store->Held()) {
    if (!held.for_period) continue;
    const auto watched = tasks.find(held.of.task);
    const bool over =
        watched != tasks.end() &&
        EndOf(held.of, *watched->second.task, watched->second.moment, now).has_value();
    // The nodes' keys end each on its own.
    if (!over && parts_.catalog->StandingOf(held.of.key, now) != KeyStanding::kDestroyed) continue;
    const auto scattered = parts_.store->Scatter(held.of);
    if (!scattered.ok()) {
      failures_.Increment();
      unscattered_.insert(held.of);
      log::Error("scatter_failed", {{"task", ToHex(held.of.task)},
                                    {"period", static_cast<int64_t>(held.of.part)},
                                    {"status", scattered.status().ToString()}});
      continue;
    }
    unscattered_.erase(held.of);
    scattered_.Increment();
    log::Info("period_scattered", {{"task", ToHex(held.of.task)},
                                   {"period", static_cast<int64_t>(held.of.part)},
                                   {"submissions", *scattered}});
  }
  stuck_.Set(static_cast<double>(unscattered_.size()));
}

bool Releaser::IsIncomplete(const BatchKey& of, const Task& task,
                            const std::vector<HeldInfo>& held) const {
  if (task.nodes() == nullptr) return false;
  const auto covers = [&](const BatchKey& period) {
    return period.task == of.task && period.part <= of.part &&
           period.part >= task.nodes()->FirstPeriod(of.part);
  };
  return std::any_of(unscattered_.begin(), unscattered_.end(), covers) ||
         std::any_of(held.begin(), held.end(),
                     [&](const HeldInfo& info) { return info.for_period && covers(info.of); });
}

bool Releaser::Step() {
  const absl::StatusOr<absl::Time> now = parts_.clock->SureNow();
  // Every task is looked at, also those that hold nothing, so that no interval's end is missed.
  const WatchedTasks tasks = LookAtTasks(now);
  if (now.ok()) ScatterPeriods(tasks, *now);
  bool released = false;
  absl::flat_hash_set<TaskId> failed;
  const std::vector<HeldInfo> all = parts_.store->Held();
  for (const HeldInfo& held : all) {
    if (held.for_period) continue;
    if (now.ok() && parts_.catalog->StandingOf(held.of.key, *now) == KeyStanding::kDestroyed) {
      Destroy(held.of, ExpiryCause::kKeyDestroyed);  // nobody could open it
      continue;
    }
    // A task that the collector does not know any more, since it came back from a copy: what is
    // held for it ends with its key.
    const auto watched = tasks.find(held.of.task);
    if (watched == tasks.end()) continue;
    const auto& [task, gate, moment] = watched->second;
    const std::optional<ExpiryCause> end = EndOf(held.of, *task, moment, now);
    if (end.has_value() && IsIncomplete(held.of, *task, all)) continue;
    const auto decide = [&, &gate = gate, &moment = moment](int64_t submissions) {
      return gate->Decide(submissions, held.of.part, moment.interval_ended, end.has_value());
    };
    switch (decide(held.submissions)) {
      case Verdict::kHold:
        break;
      case Verdict::kRelease: {
        Verdict found = Verdict::kRelease;
        if (Release(held.of, task, [&](int64_t distinct) { return found = decide(distinct); })) {
          released = true;
        } else if (found == Verdict::kDestroy) {
          Destroy(held.of, *end);
        } else {
          failed.insert(held.of.task);
        }
        break;
      }
      case Verdict::kDestroy:
        Destroy(held.of, *end);
        break;
    }
  }
  if (now.ok()) {
    NoteIntervals(tasks, failed);
    looked_ = true;
  }
  return released;
}

void Releaser::NoteIntervals(const WatchedTasks& tasks, const absl::flat_hash_set<TaskId>& failed) {
  for (const auto& [task, watched] : tasks) {
    const Moment& moment = watched.moment;
    if (moment.over) {
      parts_.intervals->Forget(task);
    } else if (!moment.interval.has_value()) {
      continue;
    } else if (moment.interval_ended ? !failed.contains(task)
                                     : !parts_.intervals->Ended(task).has_value()) {
      parts_.intervals->Note(task, *moment.interval);
    }
  }
  const absl::Status saved = parts_.intervals->Save();
  // Once when it begins, not every second.
  if (!std::exchange(intervals_unsaved_, !saved.ok()) && !saved.ok()) {
    log::Warning("intervals_not_kept", {{"status", saved.ToString()}});
  }
}

absl::StatusOr<FakeReports> Releaser::FakesFor(const BatchKey& of,
                                               const std::shared_ptr<const Task>& task,
                                               RandomSource& random) const {
  if (task->scheme()->fakes() == 0) return FakeReports{};
  const std::optional<HpkeKey> key = parts_.catalog->FindKey(of.key);
  if (!key.has_value()) {
    return absl::UnavailableError("the key that fakes are sealed to is not in the key list");
  }
  return MakeFakes(task, *key, of.part, random);
}

bool Releaser::Release(const BatchKey& of, const std::shared_ptr<const Task>& task,
                       const std::function<Verdict(int64_t)>& decide) {
  const auto began = std::chrono::steady_clock::now();
  const std::unique_ptr<RandomSource> random = parts_.make_random();
  absl::StatusOr<Manifest> totals = absl::InternalError("not released");
  const std::optional<HpkeKey> key = parts_.catalog->FindKey(of.key);
  if (key.has_value() && !key->IsFor(*task, of.part)) {
    // It was when the submissions came; the collector says otherwise by now.
    totals = absl::FailedPreconditionError(
        absl::StrCat("the key list has key ", ToHex(of.key), " for others than this batch"));
  } else if (auto fakes = FakesFor(of, task, *random); fakes.ok()) {
    totals = parts_.release->Run(
        *parts_.store,
        {.of = of,
         .fakes = *std::move(fakes),
         .check = [&](int64_t submissions) -> absl::Status {
           if (decide(submissions) == Verdict::kRelease) return absl::OkStatus();
           return absl::FailedPreconditionError(absl::StrCat(
               "only ", submissions, " distinct submissions are held: too few to release"));
         },
         .make_manifest =
             [this](const Manifest& batch) { return SignManifest(batch, *parts_.signing_key); }},
        *random);
  } else {
    totals = fakes.status();
  }
  if (!totals.ok()) {
    failures_.Increment();
    log::Error("release_failed",
               {{"task", ToHex(of.task)}, {"status", totals.status().ToString()}});
    return false;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  batches_.Increment();
  submissions_.Increment(static_cast<double>(totals->submissions));
  fakes_.Increment(static_cast<double>(totals->fakes));
  last_.Set(static_cast<double>(absl::ToUnixSeconds(parts_.clock->Now())));
  seconds_.Observe(took.count());
  log::Info("batch_released", {{"task", ToHex(totals->of.task)},
                               {"batch", ToHex(totals->batch)},
                               {"period", static_cast<int64_t>(totals->of.part)},
                               {"submissions", totals->submissions},
                               {"fakes", totals->fakes},
                               {"messages", totals->reports_out},
                               {"seconds", took.count()}});
  return true;
}

void Releaser::Destroy(const BatchKey& of, ExpiryCause cause) {
  const auto destroyed = parts_.store->Destroy(of);
  if (!destroyed.ok()) {
    log::Error("destroy_failed",
               {{"task", ToHex(of.task)}, {"status", destroyed.status().ToString()}});
    return;
  }
  CountExpired(*parts_.metrics, cause, *destroyed);
  log::Warning("held_destroyed", {{"task", ToHex(of.task)},
                                  {"period", static_cast<int64_t>(of.part)},
                                  {"submissions", *destroyed},
                                  {"cause", NameOf(cause)}});
}

void Releaser::ForgetOldWindows(const Task& task, absl::Time now) {
  const uint64_t window = task.WindowAt(now);
  const auto [it, first_look] = windows_.try_emplace(task.id(), window);
  if (!first_look && it->second == window) return;
  it->second = window;
  if (window == 0) return;
  // Submissions of the window before this one may still be retried.
  const absl::Status status =
      parts_.store->ForgetWindowsBefore(task.id(), static_cast<uint32_t>(window - 1));
  if (!status.ok()) {
    log::Warning("forget_windows_failed", {{"status", status.ToString()}});
  }
}

}  // namespace tombola::shuffler
