// Clocks that stand still until a test moves them.
#ifndef TOMBOLA_TESTS_SUPPORT_FAKE_CLOCK_H_
#define TOMBOLA_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "common/base/clock.h"

namespace tombola {

class FakeClock final : public Clock {
 public:
  explicit FakeClock(absl::Time start) : nanos_(absl::ToUnixNanos(start)) {}
  absl::Time Now() const override { return absl::FromUnixNanos(nanos_.load()); }
  absl::StatusOr<absl::Time> SureNow() const override {
    if (doubt_) return absl::UnavailableError("the clock is in doubt");
    return Now();
  }
  void Advance(absl::Duration duration) { nanos_ += absl::ToInt64Nanoseconds(duration); }
  void SetDoubt(bool doubt) { doubt_ = doubt; }

 private:
  std::atomic<int64_t> nanos_;
  std::atomic<bool> doubt_{false};
};

class FakeSteadyClock final : public SteadyClock {
 public:
  absl::Duration Now() const override { return absl::Nanoseconds(nanos_.load()); }
  void Advance(absl::Duration duration) { nanos_ += absl::ToInt64Nanoseconds(duration); }

 private:
  std::atomic<int64_t> nanos_{0};
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_FAKE_CLOCK_H_
