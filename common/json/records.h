// The body of an answer about records in the forms that scripts rely on.
#ifndef TOMBOLA_COMMON_JSON_RECORDS_H_
#define TOMBOLA_COMMON_JSON_RECORDS_H_

#include <string>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Appends the body's members of the answer's object (common/json/answer.h), without a comma at
// either end. Estimates are objects, or null where there is none: `sum` and `avg` without a
// measure, an average of too few records.
void AppendRecordsJson(const v1::Aggregates& records, const Truth& truth, std::string* out);

// The cells as CSV (RFC 4180): a line of names, then a line a cell, or one of all records that were
// asked for where there are none.
std::string RecordsCsv(const v1::Aggregates& records);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_RECORDS_H_
