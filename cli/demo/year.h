// The demonstration of a stream: the devices of one period after the other.
#ifndef TOMBOLA_CLI_DEMO_YEAR_H_
#define TOMBOLA_CLI_DEMO_YEAR_H_

#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/connect/config.h"
#include "cli/demo/commutes.h"
#include "cli/demo/slept_clock.h"
#include "cli/report/report_many.h"
#include "common/task/task.h"

namespace tombola::cli {

// Every period's devices report in its middle; the machine sleeps in between. Returns when the last
// period is over and all that is to be released has been counted. The errors are those of a call
// that fails for good.
absl::Status ReportYear(const Config& config, const Task& task, const Clients& clients,
                        Commutes& commutes, SleptClock& clock, Progress* progress,
                        ManyOutcome* outcome);

// How far all totals of counts are from the truth, of every period and value.
struct YearErrors {
  int64_t totals = 0;
  double root_mean_square = 0;
  double expected = 0;  // by the answers' standard errors
  double largest = 0;
  int64_t inside = 0;  // their intervals
};

absl::StatusOr<YearErrors> ErrorsOfYear(const Config& config, const Task& task,
                                        const Commutes& commutes, double confidence);

// In two lines; the confidence is that of the intervals.
void WriteYearErrors(const YearErrors& errors, double confidence, std::ostream& out);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_YEAR_H_
