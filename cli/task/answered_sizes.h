// How many records devices have, from an answer about just that.
#ifndef TOMBOLA_CLI_TASK_ANSWERED_SIZES_H_
#define TOMBOLA_CLI_TASK_ANSWERED_SIZES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/plan/record_sizes.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct AnsweredSizes {
  mechanism::RecordSizes sizes;
  // The number of records that stands for more as well, and the share of devices there; absent
  // where it is sure that none have more.
  std::optional<int64_t> open = {};
  double beyond = 0;
};

// Of a histogram the values are numbers of records, by their labels where they have some; `other`,
// the value that stands for all that are none, counts as its number. Of numbers a bin stands for
// the one whole number that it holds, the last bin for its first. Taken are post-processed shares
// with the errors of raw ones, so that what is not below 0 adds up to 1. InvalidArgument: a value
// is no number of records, a bin holds several, or no device has any; without the task's name.
absl::StatusOr<AnsweredSizes> SizesOfAnswer(const v1::Answer& answer,
                                            std::optional<uint64_t> other);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_ANSWERED_SIZES_H_
