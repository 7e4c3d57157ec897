#include "common/daemon/clock.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tombola::daemon {
namespace {

void Tell(const absl::Status& doubt) {
  if (doubt.ok()) {
    log::Info("clock_sure");
  } else {
    log::Warning("clock_in_doubt", {{"status", doubt.ToString()}});
  }
}

}  // namespace

DaemonClock::DaemonClock(const DaemonClockOptions& options)
    : clock_({.wall = options.wall,
              .steady = options.steady,
              .boot = BootId(),
              .path = absl::StrCat(options.directory, "/clock"),
              .peer_objects = options.peer_objects,
              .changed = &Tell}) {
  Keep();
}

void DaemonClock::Keep() {
  const absl::Status kept = clock_.Keep();
  // Once when it begins, not every second.
  if (!std::exchange(unkept_, !kept.ok()) && !kept.ok()) {
    log::Warning("clock_not_kept", {{"status", kept.ToString()}});
  }
}

void DaemonClock::AddGauge(const std::string& name, Metrics& metrics) const {
  metrics.AddLook([this, name](Readings& out) {
    out.Gauge(name, "1 while the clock is in doubt: it was set, or nobody confirms it.",
              clock_.SureNow().ok() ? 0 : 1);
  });
}

}  // namespace tombola::daemon
