#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// Each pass usually drops most of what has to go; counts made to drop little are sorted instead.
constexpr int kMaxPasses = 12;

using Wide = __int128;  // a count times a number of counts

// The values that are positive in the result: how many they are, and the sum of their counts.
struct Active {
  int64_t values = 0;
  Wide sum = 0;

  void Add(int64_t count) {
    ++values;
    sum += count;
  }

  // sum f_v for a value of this count, up to the sign where it is not positive. 1 / mu =
  // (1 + values ratio) / sum, ratio = background / signal, with the difference taken in whole
  // numbers.
  double Share(int64_t count, double ratio) const {
    const Wide excess = Wide{values} * count - sum;
    return static_cast<double>(count) + ratio * static_cast<double>(excess);
  }
};

// f_v falls with the count: the active ones are the largest, as many as stay positive.
Active ActiveBySorting(std::vector<int64_t> counts, double ratio) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  Active active;
  for (const int64_t count : counts) {
    Active with = active;
    with.Add(count);
    if (!(with.Share(count, ratio) > 0)) break;
    active = with;
  }
  return active;
}

// As Michelot's algorithm: what is not positive among too many is not among fewer.
Active FindActive(std::vector<int64_t> counts, double ratio) {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    Active active;
    for (const int64_t count : counts) active.Add(count);
    const auto end = std::remove_if(counts.begin(), counts.end(), [&](int64_t count) {
      return !(active.Share(count, ratio) > 0);
    });
    if (end == counts.end()) return active;
    counts.erase(end, counts.end());
  }
  return ActiveBySorting(std::move(counts), ratio);
}

absl::Status Validate(absl::Span<const int64_t> counts, double background, double signal) {
  if (counts.empty()) return absl::InvalidArgumentError("counts is empty; it needs an entry");
  if (!(background >= 0) || !std::isfinite(background)) {
    return absl::InvalidArgumentError(
        absl::StrCat("background must be finite and at least 0, is ", background));
  }
  if (!(signal > 0) || !std::isfinite(signal) || background / signal > 1e200) {
    return absl::InvalidArgumentError(absl::StrCat(
        "signal must be finite, greater than 0 and at least 1e-200 background, is ", signal));
  }
  if (std::any_of(counts.begin(), counts.end(), [](int64_t count) { return count < 0; })) {
    return absl::InvalidArgumentError(
        "counts has a negative entry; em needs counts that are not differences");
  }
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 0; })) {
    return absl::FailedPreconditionError("all counts are 0: every histogram is as likely");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<double>> MostLikely(absl::Span<const int64_t> counts, double background,
                                               double signal) {
  TOMBOLA_RETURN_IF_ERROR(Validate(counts, background, signal));
  const double ratio = background / signal;
  const Active active = FindActive({counts.begin(), counts.end()}, ratio);
  const double sum = static_cast<double>(active.sum);
  std::vector<double> histogram;
  histogram.reserve(counts.size());
  for (const int64_t count : counts) {
    histogram.push_back(std::max(active.Share(count, ratio), 0.0) / sum);
  }
  return histogram;
}

}  // namespace tombola::collector
