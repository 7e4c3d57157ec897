// What a stream guarantees and how noisy its totals are.
#ifndef TOMBOLA_CLI_STREAM_DESCRIBE_H_
#define TOMBOLA_CLI_STREAM_DESCRIBE_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "common/stream/design.h"
#include "common/stream/running_totals.h"

namespace tombola::cli {

struct StreamDescription {
  stream::TotalsOptions options;
  // Of all periods; of unbounded totals of the block that comes next.
  std::string structure;
  double epsilon = 0, delta = 0;  // upper bounds of what is guaranteed
  // The variance of totals: over all periods or, unbounded, over the first `predicted` ones.
  int64_t predicted = 0;
  double variance_mean = 0, variance_max = 0;
  int64_t done = 0;  // periods
};

// The status of a design that cannot be made.
absl::StatusOr<StreamDescription> DescribeStream(const stream::TotalsOptions& options,
                                                 const stream::RunningTotals& totals);

std::string ToText(const StreamDescription& description);
Json ToJson(const StreamDescription& description);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_STREAM_DESCRIBE_H_
