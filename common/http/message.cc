#include "common/http/message.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/retry_after.h"

namespace tombola::http {
namespace {

int HttpStatus(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

Response MakeResponse(std::string type, std::string body) {
  return {.type = std::move(type), .body = std::make_shared<const std::string>(std::move(body))};
}

Response ErrorResponse(const absl::Status& status) {
  if (status.ok()) return ErrorResponse(absl::InternalError("an error without a cause"));
  const nlohmann::ordered_json json = {{"error",
                                        {{"status", absl::StatusCodeToString(status.code())},
                                         {"message", std::string(status.message())}}}};
  // Bytes that are no UTF-8 become U+FFFD.
  Response response = MakeResponse(
      "application/json",
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  response.status = HttpStatus(status.code());
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (response.status == 429 || response.status == 503) {
    if (const std::optional<absl::Duration> wait = RetryAfter(status)) {
      const int64_t seconds = absl::ToInt64Seconds(absl::Ceil(*wait, absl::Seconds(1)));
      response.headers.emplace_back("Retry-After", absl::StrCat(std::max<int64_t>(seconds, 1)));
    }
  }
  return response;
}

}  // namespace tombola::http
