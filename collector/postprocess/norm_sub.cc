#include "collector/postprocess/norm_sub.h"

#include <algorithm>
#include <cstddef>

#include "collector/postprocess/base_cut.h"
#include "collector/postprocess/pop.h"
#include "common/base/status_macros.h"

namespace tombola::collector {

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
