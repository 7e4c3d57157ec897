// Configuration files: `key = value` lines in the syntax of TOML.
#ifndef TOMBOLA_COMMON_CONFIG_CONFIG_FILE_H_
#define TOMBOLA_COMMON_CONFIG_CONFIG_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::config {

enum class ValueKind { kText, kNumber, kSwitch };

struct Entry {
  std::string key;
  ValueKind kind = ValueKind::kText;
  std::string value;  // unquoted; a number in decimal, a switch as `true` or `false`
  int line = 0;       // in the file, from 1
};

// The entries of a file in its order. `file` only names it in messages: InvalidArgument, which
// begins with `file:line: `, for what is not TOML, a key that comes twice, and values other than a
// text in quotes, a whole number, true or false. There are no sections.
absl::StatusOr<std::vector<Entry>> ParseConfigFile(absl::string_view content,
                                                   const std::string& file);

// The value as it stands in a file: quoted if it is a text.
std::string FormatValue(ValueKind kind, absl::string_view value);

}  // namespace tombola::config

#endif  // TOMBOLA_COMMON_CONFIG_CONFIG_FILE_H_
