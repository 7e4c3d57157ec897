// Text from outside that goes into answers, files and terminals.
#ifndef TOMBOLA_COMMON_HTTP_PLAIN_TEXT_H_
#define TOMBOLA_COMMON_HTTP_PLAIN_TEXT_H_

#include "absl/strings/string_view.h"

namespace tombola::http {

// Whether it is UTF-8 (RFC 3629: shortest forms, no surrogates, at most U+10FFFF) without control
// characters (U+0000 to U+001F, U+007F to U+009F).
bool IsPlainText(absl::string_view text);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_PLAIN_TEXT_H_
