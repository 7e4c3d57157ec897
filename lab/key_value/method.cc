#include "lab/key_value/method.h"

#include <algorithm>
#include <cmath>

namespace tombola::lab {

absl::Status Validate(const Setting& setting) {
  if (setting.keys < 1) return absl::InvalidArgumentError("keys must be at least 1");
  if (setting.items < 1 || setting.items > setting.keys) {
    return absl::InvalidArgumentError("items must be from 1 to the number of keys");
  }
  if (!std::isfinite(setting.epsilon) || setting.epsilon <= 0) {
    return absl::InvalidArgumentError("epsilon must be finite and above 0");
  }
  if (setting.levels < 1) return absl::InvalidArgumentError("levels must be at least 1");
  return absl::OkStatus();
}

double MeanOf(double difference, double frequency, double users) {
  return std::clamp(difference / std::clamp(frequency, 1 / users, 1.0), -1.0, 1.0);
}

}  // namespace tombola::lab
