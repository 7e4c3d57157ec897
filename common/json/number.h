// The body of an answer about numbers in the forms that scripts rely on.
#ifndef TOMBOLA_COMMON_JSON_NUMBER_H_
#define TOMBOLA_COMMON_JSON_NUMBER_H_

#include <cstdint>
#include <string>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Appends the body's members of the answer's object (common/json/answer.h), without a comma at
// either end: estimates are objects, or null where there is none; quantiles are named by their
// fractions.
void AppendNumbersJson(const v1::Distribution& numbers, const Truth& truth, std::string* out);

// The bins as CSV (RFC 4180): a line of names, then a line a bin, with the members of the JSON
// object's bins.
std::string NumbersCsv(const v1::Distribution& numbers, const Truth& truth);

// An estimate as an object, null where it is not `there`; and the quantiles by their fractions.
std::string EstimateJson(bool there, const v1::Estimate& estimate);
std::string QuantilesJson(const v1::Distribution& numbers);

// How many bytes an answer with so many bins and quantiles has at most, without a truth.
int64_t MostNumberText(int64_t bins, int64_t quantiles);

// A bin's name, such as "0.5..1".
std::string BinName(const v1::Distribution& numbers, int row);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_NUMBER_H_
