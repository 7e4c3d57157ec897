// An answer as the JSON object that scripts rely on.
#ifndef TOMBOLA_CLI_HISTOGRAM_H_
#define TOMBOLA_CLI_HISTOGRAM_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// "reports" counts submissions, as everywhere on the command line; "messages" the reports that they
// and the shuffler's fakes consist of. `truth`: the true frequency of each row, or nothing.
nlohmann::ordered_json HistogramJson(const v1::Histogram& histogram,
                                     const std::vector<double>& truth = {});

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_HISTOGRAM_H_
