// Single estimates for people, in a terminal: a line each, with its interval and the truth.
#ifndef TOMBOLA_CLI_QUERY_ESTIMATE_LINES_H_
#define TOMBOLA_CLI_QUERY_ESTIMATE_LINES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// What stands above the lines; with `truth` they have one.
std::string EstimateHeading(double confidence, bool truth);

// A line, with a flag where the truth lies outside the interval. An interval of no width says that
// the number is known. `truth` may be null.
std::string EstimateLine(absl::string_view name, const v1::Estimate& estimate, const double* truth);

// In place of an estimate that there is none of, why not.
std::string MissingLine(absl::string_view name, absl::string_view why);

// Whether the truth, NaN where there is none, is outside the interval.
bool Outside(const v1::Estimate& estimate, double truth);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ESTIMATE_LINES_H_
