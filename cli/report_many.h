// Many simulated devices through the SDK.
#ifndef TOMBOLA_CLI_REPORT_MANY_H_
#define TOMBOLA_CLI_REPORT_MANY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/progress.h"
#include "tombola/client.h"

namespace tombola::cli {

// Gives the next values, at most `limit` of them; none at the end. Called by one thread at a time.
using NextValues = std::function<std::vector<std::string>(size_t limit)>;

// One device a value, over `threads` clients with a channel each. `outcome` tells what became of
// them, also when a call fails for good.
absl::Status ReportMany(const ClientOptions& options, int threads, const NextValues& next,
                        Progress* progress, BulkOutcome* outcome);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_MANY_H_
