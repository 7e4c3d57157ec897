#include "cli/command/command.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/retry_after.h"

namespace tombola::cli {

int ExitCode(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return kExitBadInput;
    default:
      return kExitFailure;
  }
}

std::string Explain(const absl::Status& status) {
  const std::optional<absl::Duration> wait = RetryAfter(status);
  if (!wait.has_value()) return std::string(status.message());
  return absl::StrCat(status.message(), " (the server is overloaded and asks to wait ",
                      absl::FormatDuration(*wait), " before the next attempt)");
}

std::string ToLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Print(const Json& json) { std::cout << ToLine(json) << std::flush; }

}  // namespace tombola::cli
