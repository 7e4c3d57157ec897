// `tombola query --participants` and `--rejected`.
#ifndef TOMBOLA_CLI_QUERY_TOTALS_H_
#define TOMBOLA_CLI_QUERY_TOTALS_H_

#include <string>

#include "absl/status/status.h"
#include "cli/query/options.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Asks for the published totals and writes them. InvalidArgument: a flag is for answers only.
absl::Status RunTotals(const QueryOptions& options);

// For people: the rows, and what is guaranteed.
std::string TotalsTable(const v1::Totals& totals, double confidence);
// What they guarantee, in plain words.
std::string DescribeTotals(const v1::TotalsInfo& info);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_TOTALS_H_
