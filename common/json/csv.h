// Fields of CSV (RFC 4180).
#ifndef TOMBOLA_COMMON_JSON_CSV_H_
#define TOMBOLA_COMMON_JSON_CSV_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tombola {

// In quotes where it has to be: with a comma, a quote or a line end in it.
void AppendCsvText(absl::string_view text, std::string* out);
std::string CsvText(absl::string_view text);

// With as many digits as it takes to read the very same number back.
void AppendCsvNumber(double number, std::string* out);
std::string CsvNumber(double number);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_CSV_H_
