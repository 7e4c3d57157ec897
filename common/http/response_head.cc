#include "common/http/response_head.h"

#include <boost/beast/http/status.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tombola::http {
namespace {

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return text;
}

void Append(absl::string_view name, const std::string& value, std::string* head) {
  absl::StrAppend(head, OneLine(std::string(name)), ": ", OneLine(value), "\r\n");
}

}  // namespace

std::string ResponseHead(const Response& response, Connect connect) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  std::string head = absl::StrCat("HTTP/1.1 ", response.status, " ",
                                  absl::string_view(reason.data(), reason.size()), "\r\n");
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    cached = cached || absl::EqualsIgnoreCase(name, "Cache-Control");
    Append(name, value, &head);
  }
  if (!cached) Append("Cache-Control", "no-store", &head);
  Append("X-Content-Type-Options", "nosniff", &head);
  Append("Referrer-Policy", "no-referrer", &head);
  Append("Cross-Origin-Resource-Policy", "same-origin", &head);
  // These two have neither a body nor a length (RFC 9110, section 8.6).
  if (response.status != 204 && response.status != 304) {
    const size_t length = response.body == nullptr ? 0 : response.body->size();
    if (length > 0) Append("Content-Type", response.type, &head);
    Append("Content-Length", absl::StrCat(length), &head);
  }
  if (connect == Connect::kClose) Append("Connection", "close", &head);
  if (connect == Connect::kKeepAndSay) Append("Connection", "keep-alive", &head);
  head.append("\r\n");
  return head;
}

}  // namespace tombola::http
