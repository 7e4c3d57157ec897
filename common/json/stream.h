// The body of a stream's answer in the forms that scripts rely on, and the order of its rows.
#ifndef TOMBOLA_COMMON_JSON_STREAM_H_
#define TOMBOLA_COMMON_JSON_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/rows.h"
#include "common/json/text.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Appends the body's members of the answer's object (common/json/answer.h), without a comma at
// either end: of one total `submissions`, `missing`, `strange`, `max_error` and `bins`, as of a
// histogram with `count` and its kin; of several `series`, an array of the same with `periods`.
// Of sets and key-value pairs it has `sizes` and `full` too, as theirs, and a pair's bins `mean`
// and its kin; of numbers `number`, the members of their own answer, in place of max_error and
// bins. Both forms have `counted` and `void_nodes`. `truth`: the true frequency of each row of one
// total, or nothing. A total without a submission has no bins, and null for its max_error.
void AppendStreamJson(const v1::StreamTotals& totals, const std::vector<double>& truth,
                      std::string* out);

// A series of one total, which looks like that total alone, as `series` beside it; nothing of other
// bodies. To be written where a series was asked for.
Json SeriesOfOne(const v1::StreamTotals& totals);

// Of numbers a line of names, then a row for each total with count, mean, sum and every quantile.
// Else the rows of every total: `first`, `last`, `submissions`, `missing` and
// `strange`, which are the total's, and the members of the JSON object's bins (RFC 4180). Periods
// are written as 2-3;5, and from the 17th run on as "...".
std::string StreamCsv(const v1::StreamTotals& totals, const std::vector<double>& truth);

// How many bytes either form has at most, without `truth`, for so many totals of so many rows, when
// the labels of one of them have `label_bytes` together; and of a run of missing periods.
int64_t MostStreamText(int64_t totals, int64_t rows, int64_t label_bytes);
inline constexpr int64_t kMostRunText = 64;

// Puts the rows of every total into the order of those of the last one.
void Sort(BinOrder order, v1::StreamTotals& totals);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_STREAM_H_
