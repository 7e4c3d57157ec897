// The body of a histogram's answer in the forms that scripts rely on, and the order of its bins.
#ifndef TOMBOLA_COMMON_JSON_HISTOGRAM_H_
#define TOMBOLA_COMMON_JSON_HISTOGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Appends the body's members of the answer's object (common/json/answer.h), without a comma at
// either end. `truth`: the true frequency of each row, or nothing. They are written as text at
// once, because a domain may have millions of bins.
void AppendHistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth,
                         std::string* out);

// The bins as CSV (RFC 4180): a line of names, then a line a bin, with the members of the JSON
// object's bins. The numbers read back are the very same.
std::string HistogramCsv(const v1::Histogram& histogram, const std::vector<double>& truth);

// How many bytes an answer with so many bins has at most, in either form and without `truth`, when
// their labels have `label_bytes` together.
int64_t MostHistogramText(int64_t bins, int64_t label_bytes);

// A row's value: its label, or its number where the domain has no labels.
std::string NameOf(const v1::Histogram& histogram, int row);

// Puts the rows into that order.
void Sort(BinOrder order, v1::Histogram& histogram);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_HISTOGRAM_H_
