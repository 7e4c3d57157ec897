// What `tombola query` asks about numbers, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_NUMBER_H_
#define TOMBOLA_CLI_QUERY_NUMBER_H_

#include "absl/types/span.h"
#include "cli/query/face.h"
#include "common/json/rows.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// In a table or a chart the usual quantiles are asked for where none are named, and few bins.
QueryFace NumberFace();

// The smallest of the numbers, ascending, that so large a share of them does not exceed; NaN where
// there are none.
double QuantileOf(absl::Span<const double> numbers, double fraction);

// What is true of an answer where these are the numbers of all devices that have one, ascending.
Truth TruthOfNumbers(const v1::Distribution& body, const Task& task,
                     absl::Span<const double> numbers);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_NUMBER_H_
