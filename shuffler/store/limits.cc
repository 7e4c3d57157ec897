#include "shuffler/store/limits.h"

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"

namespace tombola::shuffler {
namespace {

// A release makes room; how soon depends on the task.
constexpr absl::Duration kUntilARelease = absl::Seconds(5);
// Until the collector is back, or a retry window has passed.
constexpr absl::Duration kLonger = absl::Seconds(60);

int64_t Share(const StoreLimits& limits, int64_t of) {
  if (limits.held_reports_per_task == limits.held_reports) return of;
  return static_cast<int64_t>(static_cast<double>(of) *
                              static_cast<double>(limits.held_reports_per_task) /
                              static_cast<double>(limits.held_reports));
}

}  // namespace

absl::Status CheckLimits(const StoreLimits& limits, const Load& task, const Load& all,
                         int64_t task_digests, int64_t all_digests, const Addition& addition) {
  if (addition.reports == 0) return absl::OkStatus();
  if (all.outbox_bytes >= limits.outbox_bytes) {
    return Refusal("outbox",
                   "the collector has not taken the batches that are waiting for it: their limit "
                   "is reached",
                   kLonger);
  }
  if (task.reports + addition.reports > limits.held_reports_per_task ||
      task.bytes + addition.bytes > Share(limits, limits.held_bytes)) {
    return Refusal(
        "held_task",
        absl::StrCat("the task holds ", task.reports, " reports: with these its limit is passed"),
        kUntilARelease);
  }
  if (all.reports + addition.reports > limits.held_reports ||
      all.bytes + addition.bytes > limits.held_bytes) {
    return Refusal("held", "the limit of held reports is reached", kUntilARelease);
  }
  if (task_digests + addition.digests > Share(limits, limits.digests)) {
    return Refusal("digests_task", "the task's share of remembered submissions is reached",
                   kLonger);
  }
  if (all_digests + addition.digests > limits.digests) {
    return Refusal("digests", "the limit of remembered submissions is reached", kLonger);
  }
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
