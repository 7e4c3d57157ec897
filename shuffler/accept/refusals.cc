#include "shuffler/accept/refusals.h"

#include <algorithm>
#include <vector>

#include "common/log/log.h"

namespace tombola::shuffler {
namespace {

// For want of room: the caller is asked to wait. fair_share.h, limits.h and the committer say which
// is which.
constexpr const char* kOverload[] = {"calls",     "bytes", "share",  "connection",   "queue",
                                     "held_task", "held",  "outbox", "digests_task", "digests"};
// Of the disk, and of the call itself.
constexpr const char* kOthers[] = {"disk",          "disk_full",   "malformed",    "size",
                                   "unknown_task",  "unknown_key", "key_closed",   "no_keys",
                                   "task_not_open", "window_over", "window_ahead", "period_over",
                                   "period_ahead",  "role",        "clock",        "starting"};

std::vector<std::string> Causes() {
  std::vector<std::string> causes(std::begin(kOverload), std::end(kOverload));
  causes.insert(causes.end(), std::begin(kOthers), std::end(kOthers));
  return causes;
}

}  // namespace

Refusals::Refusals(Metrics& metrics)
    : counters_(metrics, "tombola_shuffler_refused_total",
                "Calls of devices that were refused as a whole, by cause.", Causes()) {}

void Refusals::Count(const absl::Status& status) { counters_.AddRefusal(status); }

void Refusals::Step(absl::Time now) {
  double grown = 0, most = 0;
  absl::string_view chief;
  for (const char* cause : kOverload) {
    const double value = counters_.Value(cause);
    const double more = value - std::exchange(seen_[cause], value);
    grown += more;
    if (more > most) {
      most = more;
      chief = cause;
    }
  }
  if (grown > 0) {
    last_refused_ = now;
    refused_ += grown;
    if (overloaded_) return;
    overloaded_ = true;
    began_ = now;
    log::Warning("overload_began", {{"cause", chief}, {"refused", static_cast<int64_t>(grown)}});
  } else if (overloaded_ && now - last_refused_ >= kQuiet) {
    overloaded_ = false;
    log::Info("overload_ended", {{"refused", static_cast<int64_t>(std::exchange(refused_, 0))},
                                 {"seconds", absl::ToInt64Seconds(last_refused_ - began_)}});
  }
}

}  // namespace tombola::shuffler
