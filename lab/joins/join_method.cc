#include "lab/joins/join_method.h"

#include <algorithm>
#include <cmath>

namespace tombola::lab {

absl::Status Validate(const JoinSetting& setting) {
  if (setting.asked < 1 || setting.asked > kJoinAttributes) {
    return absl::InvalidArgumentError("asked must be from 1 to 3");
  }
  for (const int32_t places : setting.places) {
    if (places < 2 || places > 256) {
      return absl::InvalidArgumentError("places must be from 2 to 256");
    }
  }
  if (setting.users < 1) return absl::InvalidArgumentError("users must be at least 1");
  if (setting.tau < 1 || setting.tau > kMostTau) {
    return absl::InvalidArgumentError("tau must be from 1 to 1000");
  }
  if (setting.branching < 2) return absl::InvalidArgumentError("branching must be at least 2");
  if (!std::isfinite(setting.epsilon) || setting.epsilon <= 0) {
    return absl::InvalidArgumentError("epsilon must be finite and above 0");
  }
  return absl::OkStatus();
}

double JoinAnswer::Average() const {
  if (std::isnan(sum)) return sum;
  if (!(count > 0)) return (kLeastAmount + kMostAmount) / 2;
  return std::clamp(sum / count, kLeastAmount, kMostAmount);
}

}  // namespace tombola::lab
