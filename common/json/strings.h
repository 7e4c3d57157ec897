// The body of an answer about strings in the forms that scripts rely on.
#ifndef TOMBOLA_COMMON_JSON_STRINGS_H_
#define TOMBOLA_COMMON_JSON_STRINGS_H_

#include <string>
#include <vector>

#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// "threshold", "least_holders", "false_strings", "tests", "complete", "moved_by_report",
// "dictionary" (null: all strings there may be), "levels" and "bins" as of a histogram; bytes of a
// string that are no UTF-8 become U+FFFD. Of a search that is under way "decoding" alone.
void AppendStringsJson(const v1::FrequentStrings& body, const std::vector<double>& truth,
                       std::string* out);
void Sort(BinOrder order, v1::FrequentStrings& body);
std::string StringsCsv(const v1::FrequentStrings& body, const std::vector<double>& truth);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_STRINGS_H_
