// One spelling for texts that read the same, by libutf8proc.
#ifndef TOMBOLA_COMMON_TEXT_NORMAL_FORM_H_
#define TOMBOLA_COMMON_TEXT_NORMAL_FORM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola {

enum class Case {
  kKept,
  kFolded,  // Unicode's full case folding: "Straße" and "STRASSE" become one
};

// Unicode's normalization form C, of the folded text where cases are folded. Doing it again changes
// nothing. Everybody has to do it by the same version of Unicode. InvalidArgument if the text is
// not UTF-8.
absl::StatusOr<std::string> NormalForm(absl::string_view text, Case letters);

// Of the tables in use, as "15.0.0".
std::string UnicodeVersion();

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TEXT_NORMAL_FORM_H_
