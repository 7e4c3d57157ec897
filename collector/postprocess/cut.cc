#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

absl::Status ValidateCut(absl::Span<const double> raw, double threshold) {
  if (raw.empty()) return absl::InvalidArgumentError("raw is empty; it needs an entry");
  for (size_t i = 0; i < raw.size(); ++i) {
    if (std::isfinite(raw[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("raw[", i, "] is not finite"));
  }
  if (std::isfinite(threshold)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("threshold must be finite, is ", threshold));
}

}  // namespace

absl::StatusOr<std::vector<double>> BaseCut(absl::Span<const double> raw, double threshold) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCut(raw, threshold));
  std::vector<double> frequencies(raw.begin(), raw.end());
  for (double& frequency : frequencies) {
    if (frequency < threshold) frequency = 0;
  }
  return frequencies;
}

absl::StatusOr<std::vector<double>> NormSub(absl::Span<const double> raw, double threshold) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCut(raw, threshold));
  std::vector<size_t> kept;
  std::vector<double> entries;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] < threshold) continue;
    kept.push_back(i);
    entries.push_back(raw[i]);
  }
  std::vector<double> histogram(raw.size(), 0);
  if (kept.empty()) {
    histogram[static_cast<size_t>(std::max_element(raw.begin(), raw.end()) - raw.begin())] = 1;
    return histogram;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> projected, Pop(entries));
  for (size_t j = 0; j < kept.size(); ++j) histogram[kept[j]] = projected[j];
  return histogram;
}

}  // namespace tombola::collector
