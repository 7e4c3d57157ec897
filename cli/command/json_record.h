// What a device holds, as a line of JSON says it.
#ifndef TOMBOLA_CLI_COMMAND_JSON_RECORD_H_
#define TOMBOLA_CLI_COMMAND_JSON_RECORD_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::cli {

// A JSON list of texts or whole numbers, ["a", "b"]. InvalidArgument: it is none.
absl::StatusOr<std::vector<std::string>> ReadNames(absl::string_view line);

// A JSON object whose members are numbers, {"a": 0.5}, in their order. A member that is there twice
// is two pairs. InvalidArgument: it is none.
absl::StatusOr<std::vector<std::pair<std::string, double>>> ReadPairs(absl::string_view line);

// A JSON number, null for none, or an object with the one member "value", which is either.
// InvalidArgument: it is none of these.
absl::StatusOr<std::optional<double>> ReadNumber(absl::string_view line);

// A JSON object whose members are numbers and texts, or a list of such objects, each as its members
// in their order. A member that is there twice is there twice. InvalidArgument: it is none.
using JsonRow = std::vector<std::pair<std::string, std::variant<double, std::string>>>;
absl::StatusOr<std::vector<JsonRow>> ReadRows(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_JSON_RECORD_H_
