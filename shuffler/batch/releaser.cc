#include "shuffler/batch/releaser.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/task/manifest.h"
#include "shuffler/batch/fakes.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

absl::StatusOr<std::string> SignManifest(const BatchTotals& totals, const crypto::SigningKey& key) {
  v1::Manifest manifest;
  manifest.set_task_id(std::string(AsView(totals.task)));
  manifest.set_batch_id(std::string(AsView(totals.batch)));
  manifest.set_key_id(std::string(AsView(totals.key)));
  manifest.set_submissions(static_cast<uint64_t>(totals.submissions));
  manifest.set_reports_in(static_cast<uint64_t>(totals.reports_in));
  manifest.set_duplicates(static_cast<uint64_t>(totals.duplicates));
  manifest.set_fakes(static_cast<uint64_t>(totals.fakes));
  manifest.set_reports_out(static_cast<uint64_t>(totals.reports_out));
  manifest.set_digest_sum(std::string(AsView(totals.digest_sum)));
  v1::BatchHeader header;
  header.set_manifest(manifest.SerializeAsString());
  header.set_signature(key.Sign(absl::StrCat(kManifestContext, header.manifest())));
  return header.SerializeAsString();
}

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
      last_(parts_.metrics->Gauge("tombola_shuffler_last_release_timestamp_seconds",
                                  "When a batch was last put into the outbox; 0: not yet.")),
      seconds_(parts_.metrics->Seconds("tombola_shuffler_release_seconds",
                                       "From the decision until the batch is in the outbox.")) {
  for (const auto cause : {ExpiryCause::kGuarantee, ExpiryCause::kKeyDestroyed}) {
    CountExpired(*parts_.metrics, cause, 0);
  }
}

Releaser::Moment Releaser::Look(const CatalogEntry& entry, const Gate& gate, absl::Time now) {
  Moment moment;
  moment.over = entry.closed || now >= entry.task->not_after();
  const int64_t interval = gate.IntervalAt(now);
  const auto [it, first_look] = intervals_.try_emplace(entry.task->id(), interval);
  moment.interval_ended = !first_look && interval > it->second;
  it->second = interval;
  return moment;
}

bool Releaser::Step() {
  const absl::Time now = parts_.clock->Now();
  // Every task is looked at, also those that hold nothing, so that no interval's end is missed.
  absl::flat_hash_map<TaskId, Moment> moments;
  absl::flat_hash_map<TaskId, std::shared_ptr<const Gate>> gates;
  absl::flat_hash_map<TaskId, std::shared_ptr<const Task>> tasks;
  for (const CatalogEntry& entry : parts_.catalog->Tasks()) {
    const auto gate = parts_.gates->For(entry.task);
    if (!gate.ok()) continue;  // it was refused at the door: nothing can be held for it
    moments[entry.task->id()] = Look(entry, **gate, now);
    gates[entry.task->id()] = *gate;
    tasks[entry.task->id()] = entry.task;
    ForgetOldWindows(*entry.task, now);
  }
  bool released = false;
  for (const HeldInfo& held : parts_.store->Held()) {
    const auto gate = gates.find(held.task);
    if (gate == gates.end()) continue;
    const Moment& moment = moments[held.task];
    const KeyStanding key = parts_.catalog->StandingOf(held.key, now);
    if (key == KeyStanding::kDestroyed) {
      Destroy(held, ExpiryCause::kKeyDestroyed);  // nobody could open it
      continue;
    }
    const bool over = moment.over || key == KeyStanding::kClosed;
    switch (gate->second->Decide(held.submissions, moment.interval_ended, over)) {
      case Verdict::kHold:
        break;
      case Verdict::kRelease:
        released |= Release(held, tasks[held.task]);
        break;
      case Verdict::kDestroy:
        Destroy(held, ExpiryCause::kGuarantee);
        break;
    }
  }
  return released;
}

absl::StatusOr<FakeReports> Releaser::FakesFor(const HeldInfo& held,
                                               const std::shared_ptr<const Task>& task,
                                               RandomSource& random) const {
  if (task->mechanism()->fakes() == 0) return FakeReports{};
  const std::optional<HpkeKey> key = parts_.catalog->FindKey(held.key);
  if (!key.has_value()) {
    return absl::UnavailableError("the key that fakes are sealed to is not in the key list");
  }
  return MakeFakes(task, *key, random);
}

bool Releaser::Release(const HeldInfo& held, const std::shared_ptr<const Task>& task) {
  const auto began = std::chrono::steady_clock::now();
  const std::unique_ptr<RandomSource> random = parts_.make_random();
  absl::StatusOr<BatchTotals> totals = absl::InternalError("not released");
  if (const auto fakes = FakesFor(held, task, *random); fakes.ok()) {
    totals = parts_.store->Release(
        held.task, held.key,
        [this](const BatchTotals& batch) { return SignManifest(batch, *parts_.signing_key); },
        *random, *fakes);
  } else {
    totals = fakes.status();
  }
  if (!totals.ok()) {
    failures_.Increment();
    log::Error("release_failed",
               {{"task", ToHex(held.task)}, {"status", totals.status().ToString()}});
    return false;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  batches_.Increment();
  submissions_.Increment(static_cast<double>(totals->submissions));
  fakes_.Increment(static_cast<double>(totals->fakes));
  last_.Set(static_cast<double>(absl::ToUnixSeconds(parts_.clock->Now())));
  seconds_.Observe(took.count());
  log::Info("batch_released", {{"task", ToHex(totals->task)},
                               {"batch", ToHex(totals->batch)},
                               {"submissions", totals->submissions},
                               {"fakes", totals->fakes},
                               {"reports", totals->reports_out},
                               {"seconds", took.count()}});
  return true;
}

void Releaser::Destroy(const HeldInfo& held, ExpiryCause cause) {
  const auto destroyed = parts_.store->Destroy(held.task, held.key);
  if (!destroyed.ok()) {
    log::Error("destroy_failed",
               {{"task", ToHex(held.task)}, {"status", destroyed.status().ToString()}});
    return;
  }
  CountExpired(*parts_.metrics, cause, *destroyed);
  log::Warning("held_destroyed",
               {{"task", ToHex(held.task)},
                {"submissions", *destroyed},
                {"cause", cause == ExpiryCause::kGuarantee ? "guarantee" : "key_destroyed"}});
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
