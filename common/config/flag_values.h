// What flags take, where CLI11 by itself takes more.
#ifndef TOMBOLA_COMMON_CONFIG_FLAG_VALUES_H_
#define TOMBOLA_COMMON_CONFIG_FLAG_VALUES_H_

#include <CLI/CLI.hpp>
#include <limits>

namespace tombola::config {

// For CLI::Option::check, on a flag that has a default when it is not given. Without it `--expires
// "$END"` with an unset variable would be taken for a flag that was not given: a token without an
// end, a daemon that starts in place of a backup.
CLI::Validator NotEmpty();

// Likewise, for a number above 0 and at most `most`.
CLI::Validator AboveZero(double most = std::numeric_limits<double>::infinity());

// Lets every flag of the app and of its commands that is declared as a whole number take decimal
// digits and nothing else: no sign, fraction, exponent, blank or other text, no zero before other
// digits and no number too large for it. CLI11 by itself reads 010 as eight and -1 as 2^64 - 1. To
// be called when all flags are declared.
void TakeWholeNumbersOnly(CLI::App& app);

// NotEmpty for every flag of the app and of its commands that takes a text. Likewise.
void TakeNoEmptyText(CLI::App& app);

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_FLAG_VALUES_H_
