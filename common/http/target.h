// The target of a request line: a path and a query, percent-encoded.
#ifndef TOMBOLA_COMMON_HTTP_TARGET_H_
#define TOMBOLA_COMMON_HTTP_TARGET_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::http {

struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};

// Decodes /path?name=value&name=value (RFC 3986, section 3; RFC 9112, section 3.2.1); in the query
// a plus sign stands for a space, as forms write it, and a name without '=' has an empty value.
//
// InvalidArgument for all that two readers could understand differently: what does not begin with a
// slash, a percent sign without two hexadecimal digits, bytes that are no UTF-8, control
// characters, a path with an encoded slash, a backslash or a segment "." or "..", and a fragment.
absl::StatusOr<Target> ParseTarget(absl::string_view target);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TARGET_H_
