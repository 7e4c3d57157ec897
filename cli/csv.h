// Fields of CSV (RFC 4180).
#ifndef TOMBOLA_CLI_CSV_H_
#define TOMBOLA_CLI_CSV_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tombola::cli {

// In quotes where it has to be: with a comma, a quote or a line end in it.
std::string CsvText(absl::string_view text);

// With as many digits as it takes to read the very same number back.
std::string CsvNumber(double number);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CSV_H_
