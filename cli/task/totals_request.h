// What --trusted-totals asks for.
#ifndef TOMBOLA_CLI_TASK_TOTALS_REQUEST_H_
#define TOMBOLA_CLI_TASK_TOTALS_REQUEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// "epsilon=E[,delta=X][,structure=S][,of=participants+rejected]", in any order. InvalidArgument
// names the flag and what is wrong in it; bounds are the collector's to check.
absl::StatusOr<v1::TrustedTotalsRequest> ReadTrustedTotals(const std::string& text);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_TOTALS_REQUEST_H_
