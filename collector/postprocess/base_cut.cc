#include "collector/postprocess/base_cut.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::collector {

absl::Status ValidateCut(absl::Span<const double> raw, double threshold) {
  if (raw.empty()) return absl::InvalidArgumentError("raw is empty; it needs an entry");
  for (size_t i = 0; i < raw.size(); ++i) {
    if (std::isfinite(raw[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("raw[", i, "] is not finite"));
  }
  if (std::isfinite(threshold)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("threshold must be finite, is ", threshold));
}

absl::StatusOr<std::vector<double>> BaseCut(absl::Span<const double> raw, double threshold) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCut(raw, threshold));
  std::vector<double> frequencies(raw.begin(), raw.end());
  for (double& frequency : frequencies) {
    if (frequency < threshold) frequency = 0;
  }
  return frequencies;
}

}  // namespace tombola::collector
