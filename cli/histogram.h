// An answer in the forms that scripts rely on, and the order of its bins.
#ifndef TOMBOLA_CLI_HISTOGRAM_H_
#define TOMBOLA_CLI_HISTOGRAM_H_

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// "reports" counts submissions, as everywhere on the command line; "messages" the reports that they
// and the shuffler's fakes consist of. `truth`: the true frequency of each row, or nothing.
nlohmann::ordered_json HistogramJson(const v1::Histogram& histogram,
                                     const std::vector<double>& truth = {});

// The bins as CSV (RFC 4180): a line of names, then a line a bin, with the members of the JSON
// object's bins. The numbers read back are the very same. Written line by line, because a domain
// may have millions of bins.
void WriteCsv(const v1::Histogram& histogram, const std::vector<double>& truth, std::ostream& out);

// A row's value: its label, or its number where the domain has no labels.
std::string NameOf(const v1::Histogram& histogram, int row);

enum class BinOrder {
  kFrequency,  // the largest first; those that are equal in the domain's order
  kValue,      // the domain's order
};

// Puts the rows into that order.
void Sort(BinOrder order, v1::Histogram& histogram);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_HISTOGRAM_H_
