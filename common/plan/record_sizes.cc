#include "common/plan/record_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tombola::mechanism {

absl::StatusOr<RecordSizes> RecordSizes::Create(std::vector<Share> shares) {
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.records < b.records; });
  double all = 0;
  double errors = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const Share& share = shares[i];
    if (share.records < 0 || share.records > kMostKnownRecords) {
      return absl::InvalidArgumentError(absl::StrCat("a number of records is ", share.records,
                                                     "; it must be in [0, ", kMostKnownRecords,
                                                     "]"));
    }
    if (i > 0 && shares[i - 1].records == share.records) {
      return absl::InvalidArgumentError(
          absl::StrCat("the number of records ", share.records, " must be there once"));
    }
    // Written so that NaN is refused too.
    if (!(share.share >= 0) || !(share.standard_error >= 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the share of devices with ", share.records, " records must be at least 0"));
    }
    all += share.share;
    errors += share.standard_error;
  }
  if (!std::isfinite(all) || !std::isfinite(errors)) {
    return absl::InvalidArgumentError("the shares of devices must add up to a finite number");
  }
  double mean = 0;
  int64_t most = 0;
  for (Share& share : shares) {
    share.share /= all;
    share.standard_error /= all;
    if (!(share.share > 0) || share.records == 0) continue;
    mean += share.share * static_cast<double>(share.records);
    most = share.records;
  }
  if (most == 0) return absl::InvalidArgumentError("some device must have a record");
  return RecordSizes(std::move(shares), mean, most);
}

double RecordSizes::Cut(int64_t max_records) const {
  double beyond = 0;
  for (const Share& share : shares_) {
    if (share.records <= max_records) continue;
    beyond += share.share * static_cast<double>(share.records - max_records);
  }
  return beyond / mean_;
}

// Of a ratio: what a share adds to the records beyond, less its part in all of them.
double RecordSizes::CutError(int64_t max_records) const {
  const double cut = Cut(max_records);
  double variance = 0;
  for (const Share& share : shares_) {
    const auto beyond = static_cast<double>(std::max<int64_t>(0, share.records - max_records));
    const double slope = (beyond - cut * static_cast<double>(share.records)) / mean_;
    variance += slope * slope * share.standard_error * share.standard_error;
  }
  return std::sqrt(variance);
}

}  // namespace tombola::mechanism
