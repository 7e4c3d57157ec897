// The ways of post-processing by the names that people use.
#ifndef TOMBOLA_COMMON_JSON_POSTPROCESS_H_
#define TOMBOLA_COMMON_JSON_POSTPROCESS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// All of them, as collector.proto lists them: "pop", the usual one, first.
const std::vector<std::string>& PostprocessNames();

// Nothing for any other word.
std::optional<v1::Postprocess> PostprocessFromName(absl::string_view name);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_POSTPROCESS_H_
