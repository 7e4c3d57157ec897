// JSON as text, also where a document is too large to be built as objects first.
#ifndef TOMBOLA_COMMON_JSON_TEXT_H_
#define TOMBOLA_COMMON_JSON_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/strings/string_view.h"

namespace tombola {

// Members in the order in which they were written.
using Json = nlohmann::ordered_json;

// On one line, without a line end; bytes that are no UTF-8 become U+FFFD.
std::string ToText(const Json& json);

// As few digits as read back to the very same number, with a point or an exponent, so that it stays
// a floating-point number for whoever reads it; null for what JSON has no number for.
void AppendNumber(double number, std::string* out);

// In quotes, as ToText writes it.
void AppendText(absl::string_view text, std::string* out);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_TEXT_H_
