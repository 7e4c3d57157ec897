// A clock that stands still until a test moves it.
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
  void Advance(absl::Duration duration) { nanos_ += absl::ToInt64Nanoseconds(duration); }

 private:
  std::atomic<int64_t> nanos_;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_FAKE_CLOCK_H_
