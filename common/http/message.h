// One HTTP request and its response, as handlers see them.
#ifndef TOMBOLA_COMMON_HTTP_MESSAGE_H_
#define TOMBOLA_COMMON_HTTP_MESSAGE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tombola::http {

struct Request {
  std::string path;  // decoded, begins with a slash
  // Decoded, in the order of the target; names may repeat.
  std::vector<std::pair<std::string, std::string>> query;
  std::string accept;
  std::string if_none_match;
  std::vector<std::string> segments;  // what the pattern's {…} matched, in order
  std::vector<std::string> roles;     // the caller's; the router has checked them
  std::string
      caller;  // for people: "token dana", "certificate CN=tombola analyst"; empty: nobody known
  // The tasks that the caller may read, in hexadecimal; empty: all. Of a token that names some,
  // whatever else the caller has shown.
  std::vector<std::string> tasks;
  bool unknown_token = false;  // a token was shown that stands for nothing
  // Whether the caller has closed its connection, or its half of it, and so waits for no answer any
  // more. For who computes long; from any thread.
  std::function<bool()> left = [] { return false; };
};

// The server adds the length, what every answer says about itself to a browser, and
// Cache-Control: no-store unless `headers` say otherwise.
struct Response {
  int status = 200;
  std::string type = "application/json";
  std::shared_ptr<const std::string> body;  // may be none; shared, so that files are not copied
  std::vector<std::pair<std::string, std::string>> headers;
};

// Takes the one response of a request: from any thread, also after the server has stopped. Calls
// after the first do nothing. When the last copy goes without a call, the answer is 500.
using Respond = std::function<void(Response)>;

Response MakeResponse(std::string type, std::string body);
// {"error": {"status": "NOT_FOUND", "message": "..."}} with the HTTP status that fits; 429 and 503
// with Retry-After where the status says how long to wait.
Response ErrorResponse(const absl::Status& status);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_MESSAGE_H_
