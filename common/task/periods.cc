#include "common/task/periods.h"

#include <algorithm>

#include "common/base/check.h"

namespace tombola {

Periods::Periods(absl::Time begins, absl::Time ends, absl::Duration length)
    : begins_(begins),
      ends_(ends),
      length_(length),
      grace_(std::min(length / 10, absl::Minutes(10))),
      count_(0) {
  TOMBOLA_CHECK(length > absl::ZeroDuration() && begins < ends);
  count_ = LastBefore(ends);
}

uint64_t Periods::At(absl::Time now) const {
  if (now < begins_) return 1;
  const uint64_t passed = static_cast<uint64_t>((std::min(now, ends_) - begins_) / length_);
  return std::min(passed + 1, count_);
}

absl::Time Periods::Begins(uint64_t period) const {
  TOMBOLA_CHECK(Has(period));
  return begins_ + static_cast<int64_t>(period - 1) * length_;
}

absl::Time Periods::Ends(uint64_t period) const {
  return std::min(Begins(period) + length_, ends_);
}

uint64_t Periods::LastBefore(absl::Time moment) const {
  if (moment <= begins_) return 0;
  const absl::Duration past = std::min(moment, ends_) - begins_;
  absl::Duration rest;
  const uint64_t whole = static_cast<uint64_t>(absl::IDivDuration(past, length_, &rest));
  return whole + (rest > absl::ZeroDuration() ? 1 : 0);
}

uint64_t Periods::LastClosed(absl::Time now) const {
  if (now < begins_) return 0;
  const uint64_t current = At(now - grace_);
  return Closes(current) <= now ? current : current - 1;
}

}  // namespace tombola
