#include "common/http/request_head.h"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/http/target.h"

namespace tombola::http {
namespace {

namespace beast = boost::beast;
using beast::http::field;

absl::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

Response Refusal(int status, const absl::Status& why) {
  Response response = ErrorResponse(why);
  response.status = status;
  return response;
}

std::string Token(absl::string_view authorization) {
  if (!absl::StartsWithIgnoreCase(authorization, "Bearer ")) return "";
  return std::string(absl::StripAsciiWhitespace(authorization.substr(7)));
}

std::optional<Response> Refuse(const RequestParser& parser, bool has_body) {
  const auto& message = parser.get();
  const auto method = message.method();
  if (method != beast::http::verb::get && method != beast::http::verb::head) {
    Response response = Refusal(405, absl::UnimplementedError("the method must be GET or HEAD"));
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (has_body) return Refusal(413, absl::InvalidArgumentError("a request must have no body"));
  if (message.count(field::expect) > 0) {
    return Refusal(417, absl::InvalidArgumentError("Expect is not served"));
  }
  const size_t hosts = message.count(field::host);
  if (hosts > 1 || (hosts == 0 && message.version() == 11)) {
    return Refusal(400, absl::InvalidArgumentError("there must be one Host"));
  }
  if (message.count(field::authorization) > 1) {
    return Refusal(400, absl::InvalidArgumentError("there must be at most one Authorization"));
  }
  return std::nullopt;
}

}  // namespace

RequestHead ReadHead(const RequestParser& parser) {
  const auto& message = parser.get();
  // A Transfer-Encoding that the parser does not know would end where nobody can tell.
  const bool has_body = message.count(field::transfer_encoding) > 0 || parser.chunked() ||
                        parser.content_length().value_or(0) > 0;
  RequestHead head;
  head.head = message.method() == beast::http::verb::head;
  head.http_1_0 = message.version() == 10;
  head.keep_alive = message.keep_alive() && !has_body;
  head.refusal = Refuse(parser, has_body);
  if (head.refusal.has_value()) {
    // With Expect the peer may send its body after all; of another head nobody knows what it meant.
    if (head.refusal->status != 405) head.keep_alive = false;
    return head;
  }
  auto target = ParseTarget(View(message.target()));
  if (!target.ok()) {
    head.refusal = ErrorResponse(target.status());
    return head;
  }
  head.request.path = std::move(target->path);
  head.request.query = std::move(target->query);
  head.request.accept = std::string(View(message[field::accept]));
  head.request.if_none_match = std::string(View(message[field::if_none_match]));
  head.token = Token(View(message[field::authorization]));
  return head;
}

std::optional<Response> ParseRefusal(const beast::error_code& error) {
  using Error = beast::http::error;
  if (error == Error::header_limit || error == Error::buffer_overflow) {
    return Refusal(431, absl::InvalidArgumentError("the head of the request is too long"));
  }
  if (error == Error::body_limit) {
    return Refusal(413, absl::InvalidArgumentError("a request must have no body"));
  }
  if (error == Error::end_of_stream || error == Error::partial_message ||
      error.category() != beast::error_code(Error::end_of_stream).category()) {
    return std::nullopt;
  }
  return ErrorResponse(absl::InvalidArgumentError(absl::StrCat("no HTTP: ", error.message())));
}

}  // namespace tombola::http
