#include "common/base/watched_clock.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/check.h"
#include "common/base/retry_after.h"
#include "common/disk/whole_file.h"

namespace tombola {
namespace {

constexpr absl::Duration kWait = absl::Seconds(10);
constexpr absl::Duration kWritePeriod = absl::Minutes(10);
constexpr absl::string_view kFileVersion = "1";

bool Within(absl::Duration difference, absl::Duration bound) {
  return absl::AbsDuration(difference) <= bound;
}

absl::Status Doubt(absl::string_view why) {
  absl::Status status = absl::UnavailableError(absl::StrCat("the clock is in doubt: ", why));
  SetRetryAfter(kWait, &status);
  return WithCause("clock", std::move(status));
}

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(absl::AbsDuration(duration), absl::Seconds(1)));
}

}  // namespace

absl::Duration BootClock::Now() const {
  timespec now;
  TOMBOLA_CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
  return absl::DurationFromTimespec(now);
}

std::string BootId() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment
  if (const char* told = std::getenv("TOMBOLA_BOOT_ID"); told != nullptr) return told;
  const auto id = ReadSmallFile("/proc/sys/kernel/random/boot_id");
  return id.ok() ? std::string(absl::StripAsciiWhitespace(*id)) : std::string();
}

WatchedClock::WatchedClock(WatchedClockOptions options) : options_(std::move(options)) {
  Load();
  LookNow(nullptr).IgnoreError();
}

WatchedClock::Reading WatchedClock::Read() const {
  return {.wall = options_.wall->Now(), .steady = options_.steady->Now()};
}

// The file: version, boot, wall and steady time in seconds, with spaces between. What cannot be
// read is no history.
void WatchedClock::Load() {
  const Reading reading = Read();
  MutexLock lock(mutex_);
  looked_ = reading.steady;
  written_ = reading.steady;  // what is there need not be written again
  const absl::StatusOr<std::string> content = ReadSmallFile(options_.path);
  if (absl::IsNotFound(content.status())) {
    Believe(reading);
    return;
  }
  const std::vector<std::string> words =
      absl::StrSplit(absl::StripAsciiWhitespace(content.value_or("")), ' ');
  int64_t wall = 0, steady = 0;
  if (words.size() != 4 || words[0] != kFileVersion || !absl::SimpleAtoi(words[2], &wall) ||
      !absl::SimpleAtoi(words[3], &steady)) {
    return;
  }
  last_sure_ = absl::FromUnixSeconds(wall);
  if (!options_.boot.empty() && words[1] == options_.boot) {
    believed_ = absl::Seconds(wall) - absl::Seconds(steady);
  }
}

void WatchedClock::Believe(const Reading& reading) const {
  believed_ = reading.offset();
  anew_ = true;
}

absl::Status WatchedClock::Judge(const Reading& reading) const {
  const absl::Duration offset = reading.offset();
  const bool heard = peer_.has_value() && reading.steady - peer_->at < options_.firm;
  const bool agrees = heard && Within(offset - peer_->offset, options_.apart);
  if (heard && !agrees && options_.peer_objects) {
    candidate_.reset();
    return Doubt(
        absl::StrCat("it is ", Seconds(offset - peer_->offset), " away from the other party's"));
  }
  if (believed_.has_value() && Within(offset - *believed_, options_.step)) return absl::OkStatus();
  if (agrees) {
    Believe(reading);
    return absl::OkStatus();
  }
  if (!candidate_.has_value() || !Within(offset - candidate_->offset, options_.step)) {
    candidate_ = {.offset = offset, .since = reading.steady};
  }
  const bool back = reading.wall < last_sure_ - options_.step;
  // Another party that may not raise doubt may keep what a step has raised.
  const bool challenged = heard || (back && !believed_.has_value());
  if (reading.steady - candidate_->since >= options_.firm && !challenged) {
    Believe(reading);
    return absl::OkStatus();
  }
  if (believed_.has_value()) {
    return Doubt(absl::StrCat("it was set ", offset < *believed_ ? "back" : "ahead", " by ",
                              Seconds(offset - *believed_)));
  }
  if (back) return Doubt("the machine has started with a time before the last sure one");
  return Doubt("the machine has started anew, and nobody has confirmed its time yet");
}

std::optional<absl::Status> WatchedClock::Look(const Reading& reading) const {
  const bool was_sure = doubt_.ok();
  doubt_ = Judge(reading);
  if (doubt_.ok()) {
    candidate_.reset();
    // Small steps are followed slowly: no number of them adds up to a large one unseen.
    const absl::Duration room = std::max(absl::ZeroDuration(), reading.steady - looked_) / 60;
    *believed_ += std::clamp(reading.offset() - *believed_, -room, room);
    looked_ = reading.steady;
    last_sure_ = reading.wall;
  }
  if (was_sure == doubt_.ok()) return std::nullopt;
  return doubt_;
}

absl::Status WatchedClock::LookNow(Reading* reading) const {
  absl::Status doubt;
  std::optional<absl::Status> news;
  const Reading now = Read();
  {
    MutexLock lock(mutex_);
    news = Look(now);
    doubt = doubt_;
  }
  if (news.has_value()) options_.changed(*news);
  if (reading != nullptr) *reading = now;
  return doubt;
}

absl::StatusOr<absl::Time> WatchedClock::SureNow() const {
  Reading reading;
  const absl::Status doubt = LookNow(&reading);
  if (!doubt.ok()) return doubt;
  return reading.wall;
}

std::optional<absl::Time> WatchedClock::Testimony() const {
  Reading reading;
  if (LookNow(&reading).ok()) return reading.wall;
  MutexLock lock(mutex_);
  // A machine that has just started says what it believes, or two of them would wait for each
  // other.
  if (believed_.has_value() || reading.wall < last_sure_ - options_.step) return std::nullopt;
  return reading.wall;
}

void WatchedClock::Heard(std::optional<absl::Time> peer, absl::Duration took) {
  if (took > options_.apart) return;
  const Reading reading = Read();
  {
    MutexLock lock(mutex_);
    peer_doubts_ = !peer.has_value();
    peer_.reset();
    if (peer.has_value()) {
      peer_ = {.offset = *peer - absl::UnixEpoch() - reading.steady, .at = reading.steady};
    }
  }
  LookNow(nullptr).IgnoreError();
}

bool WatchedClock::PeerIsInDoubt() const {
  MutexLock lock(mutex_);
  return peer_doubts_;
}

absl::Status WatchedClock::Keep() {
  Reading reading;
  if (!LookNow(&reading).ok()) return absl::OkStatus();
  std::string content;
  {
    MutexLock lock(mutex_);
    if (!anew_ && reading.steady - written_ < kWritePeriod) return absl::OkStatus();
    anew_ = false;
    written_ = reading.steady;
    // As believed, and not as read: a small step is followed slowly over restarts too.
    const int64_t steady = absl::ToInt64Seconds(reading.steady);
    content = absl::StrCat(kFileVersion, " ", options_.boot.empty() ? "-" : options_.boot, " ",
                           steady + absl::ToInt64Seconds(*believed_), " ", steady, "\n");
  }
  const absl::Status written = ReplaceFile(options_.path, content);
  if (!written.ok()) {
    MutexLock lock(mutex_);
    anew_ = true;
  }
  return written;
}

}  // namespace tombola
