// The characters that texts are compared by: those of one version of Unicode, whatever the version
// of the library that compares them.
#ifndef TOMBOLA_COMMON_TEXT_REPERTOIRE_H_
#define TOMBOLA_COMMON_TEXT_REPERTOIRE_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tombola {

inline constexpr absl::string_view kRepertoire = "15.0";

// Whether that version has assigned the code point. A later one assigns others, and by Unicode's
// stability policy changes neither how these are composed and ordered nor their cases.
bool InRepertoire(int32_t point);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TEXT_REPERTOIRE_H_
