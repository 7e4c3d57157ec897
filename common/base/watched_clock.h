// A wall clock that notices when it has been set.
#ifndef TOMBOLA_COMMON_BASE_WATCHED_CLOCK_H_
#define TOMBOLA_COMMON_BASE_WATCHED_CLOCK_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace tombola {

// Time since the machine was started, suspended or not.
class BootClock final : public SteadyClock {
 public:
  absl::Duration Now() const override;
};

// What names this run of the machine's kernel: TOMBOLA_BOOT_ID of the environment, for a process
// that may not read the system's own. Empty: neither is known.
std::string BootId();

struct WatchedClockOptions {
  std::shared_ptr<const Clock> wall;
  std::shared_ptr<const SteadyClock> steady;  // as BootClock: its zero is the same within one boot
  std::string boot;                           // BootId()
  std::string path;                           // the file in which the last sure time is kept
  // Whether the other party's time can raise doubt, or only end it.
  bool peer_objects = true;
  // A wall clock that moves further than this against the steady one has been set.
  absl::Duration step = absl::Minutes(1);
  // The clocks of two parties agree if they are not further apart than this.
  absl::Duration apart = absl::Minutes(5);
  // After so long at its new place, and no objection, a clock that was set is believed.
  absl::Duration firm = absl::Hours(1);
  // Told when doubt begins, with what is wrong, and OK when it ends. Without locks.
  std::function<void(const absl::Status&)> changed = [](const absl::Status&) {};
};

// The wall clock, and whether it can be relied on. What destroys or forgets anything by the clock
// asks SureNow, and waits while there is doubt.
//
//   sure --it was set, or the other party's time differs--> in doubt
//   in doubt --it is back where it was expected, the other party's time agrees with it, or it has
//              stood firm for an hour unchallenged--> sure
//
// A step is recognised against the steady clock; what was last sure is kept on disk with the
// machine's boot, so that a restart of the process is no gap. After a restart of the machine there
// is no such history: the clock is in doubt until the other party agrees or it has stood firm, and
// a time before the last sure one is believed only on the other party's word. Without the file, at
// the first start or after somebody has removed it, the clock is taken to be right.
//
// Not recognised: steps within `step`, of which at most a second a minute adds up; a clock that is
// wrong for longer than `firm` with nobody to object; two parties whose machines start anew with
// the same wrong time.
//
// Thread-safe.
class WatchedClock final : public Clock {
 public:
  explicit WatchedClock(WatchedClockOptions options);

  absl::Time Now() const override { return options_.wall->Now(); }
  // Unavailable, with a time to wait (common/base/retry_after.h): there is doubt.
  absl::StatusOr<absl::Time> SureNow() const override;

  // What the other party may be told. Nothing: the clock was set, and is no evidence.
  std::optional<absl::Time> Testimony() const;
  // What the other party's clock says, in an answer that took so long by the steady clock. Nothing:
  // it is in doubt itself, and what it said before counts no more. An answer that took longer than
  // `apart` cannot be compared and is passed over.
  void Heard(std::optional<absl::Time> peer, absl::Duration took = absl::ZeroDuration());
  // The other party has last said that it is in doubt.
  bool PeerIsInDoubt() const;

  // Looks, and keeps the last sure time on disk: when it was taken anew, and else every ten minutes
  // of this object's life, so that neither the file nor its age tells anything of what goes on. To
  // be called every second or so by one thread. An error: it could not be written, and will be
  // tried again.
  absl::Status Keep();

 private:
  struct Peer {
    absl::Duration offset;
    absl::Duration at;  // of the steady clock
  };
  struct Candidate {
    absl::Duration offset;
    absl::Duration since;  // of the steady clock
  };
  struct Reading {
    absl::Time wall;
    absl::Duration steady;
    absl::Duration offset() const { return wall - absl::UnixEpoch() - steady; }
  };

  Reading Read() const;
  void Load();
  // One look at both clocks; what `changed` has to be told, if anything.
  std::optional<absl::Status> Look(const Reading& reading) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Judge(const Reading& reading) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Believe(const Reading& reading) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Looks and tells; OK or the doubt.
  absl::Status LookNow(Reading* reading) const ABSL_LOCKS_EXCLUDED(mutex_);

  const WatchedClockOptions options_;
  mutable Mutex mutex_;
  // Wall time less steady time when it was last sure; nothing: not in this boot.
  mutable std::optional<absl::Duration> believed_ ABSL_GUARDED_BY(mutex_);
  mutable absl::Duration looked_
      ABSL_GUARDED_BY(mutex_);  // of the steady clock, when it was last sure
  mutable absl::Time last_sure_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  mutable std::optional<Candidate> candidate_ ABSL_GUARDED_BY(mutex_);
  mutable absl::Status doubt_ ABSL_GUARDED_BY(mutex_);
  mutable bool anew_ ABSL_GUARDED_BY(mutex_) = false;  // believed since the file was written
  absl::Duration written_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  std::optional<Peer> peer_ ABSL_GUARDED_BY(mutex_);
  bool peer_doubts_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_WATCHED_CLOCK_H_
