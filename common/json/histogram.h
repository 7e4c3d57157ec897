// An answer in the forms that scripts rely on, and the order of its bins. The command line and the
// collector's HTTP interface write the very same.
#ifndef TOMBOLA_COMMON_JSON_HISTOGRAM_H_
#define TOMBOLA_COMMON_JSON_HISTOGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/text.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// One object on one line. "reports" counts submissions, as everywhere for people; "messages" the
// reports that they and the shuffler's fakes consist of. `truth`: the true frequency of each row,
// or nothing; `more`: an object whose members come last. The bins are written as text at once,
// because a domain may have millions.
std::string HistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth = {},
                          const Json& more = Json::object());

// The bins as CSV (RFC 4180): a line of names, then a line a bin, with the members of the JSON
// object's bins. The numbers read back are the very same.
std::string HistogramCsv(const v1::Histogram& histogram, const std::vector<double>& truth = {});

// The member "guarantee" of HistogramJson.
Json GuaranteeJson(const v1::Guarantee& guarantee);

// How many bytes the text of so many bins has at most, in either form and without `truth`, when
// their labels have `label_bytes` together.
int64_t MostTextBytes(int64_t bins, int64_t label_bytes);

// A row's value: its label, or its number where the domain has no labels.
std::string NameOf(const v1::Histogram& histogram, int row);

enum class BinOrder {
  kFrequency,  // the largest first; those that are equal in the domain's order
  kValue,      // the domain's order
};

// Puts the rows into that order.
void Sort(BinOrder order, v1::Histogram& histogram);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_HISTOGRAM_H_
