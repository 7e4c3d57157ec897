#include "cli/task/answered_sizes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

using mechanism::RecordSizes;

absl::StatusOr<std::vector<RecordSizes::Share>> OfValues(const v1::Histogram& histogram) {
  std::vector<RecordSizes::Share> shares;
  for (int i = 0; i < histogram.values_size(); ++i) {
    RecordSizes::Share& share = shares.emplace_back();
    share.records = static_cast<int64_t>(histogram.values(i));
    share.share = std::max(0.0, histogram.frequencies(i));
    share.standard_error = histogram.standard_errors(i);
    if (histogram.labels().empty()) continue;
    const std::string& label = histogram.labels(i);
    if (!absl::SimpleAtoi(label, &share.records) || share.records < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("must have whole numbers of records as its values, not \"", label, "\""));
    }
  }
  return shares;
}

absl::StatusOr<std::vector<RecordSizes::Share>> OfBins(const v1::Distribution& numbers) {
  std::vector<RecordSizes::Share> shares;
  const int bins = numbers.low_edges_size();
  for (int i = 0; i < bins; ++i) {
    const double low = numbers.low_edges(i), high = numbers.high_edges(i);
    const double first = std::ceil(low);
    if (first >= high && !(i + 1 == bins && first == high)) continue;  // no whole number is in it
    const bool one = first >= 0 && first <= static_cast<double>(mechanism::kMostKnownRecords) &&
                     first + 1 >= high;
    if (!one) {
      return absl::InvalidArgumentError(
          absl::StrCat("must have bins of one whole number of records each, not ", low, " to ",
                       high, ": --edges with a line for each number makes them"));
    }
    shares.push_back({.records = static_cast<int64_t>(first),
                      .share = std::max(0.0, numbers.frequencies(i)),
                      .standard_error = numbers.standard_errors(i)});
  }
  return shares;
}

}  // namespace

absl::StatusOr<AnsweredSizes> SizesOfAnswer(const v1::Answer& answer,
                                            std::optional<uint64_t> other) {
  std::vector<RecordSizes::Share> shares;
  std::optional<int64_t> open;
  if (answer.has_number()) {
    TOMBOLA_ASSIGN_OR_RETURN(shares, OfBins(answer.number()));
    const auto& ends = answer.number().high_edges();
    if (!shares.empty() && static_cast<double>(shares.back().records) < *ends.rbegin()) {
      open = shares.back().records;
    }
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(shares, OfValues(answer.histogram()));
    for (int i = 0; i < answer.histogram().values_size(); ++i) {
      if (other.has_value() && answer.histogram().values(i) == *other) {
        open = shares[static_cast<size_t>(i)].records;
      }
    }
    for (const RecordSizes::Share& share : shares) {
      if (share.records <= open.value_or(share.records)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "must have its largest number of records as the value for all others, not ", *open));
    }
  }
  absl::StatusOr<RecordSizes> sizes = RecordSizes::Create(std::move(shares));
  if (!sizes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tells no numbers of records: ", sizes.status().message()));
  }
  AnsweredSizes read{.sizes = *std::move(sizes), .open = open};
  for (const RecordSizes::Share& share : read.sizes.shares()) {
    if (share.records == open) read.beyond = share.share;
  }
  return read;
}

}  // namespace tombola::cli
