// What stands between a parsed request and the handlers. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_REQUEST_HEAD_H_
#define TOMBOLA_COMMON_HTTP_REQUEST_HEAD_H_

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>
#include <string>

#include "common/http/message.h"

namespace tombola::http {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

// One request whose head was read.
struct RequestHead {
  Request request;
  std::string token;                // of "Authorization: Bearer"; empty if there is none
  bool head = false;                // HEAD: the answer goes without its body
  bool http_1_0 = false;            // to which keeping the connection must be said
  bool keep_alive = false;          // the connection serves further requests
  std::optional<Response> refusal;  // what is answered instead of asking a handler
};

// Refused are: methods other than GET and HEAD (405), a body (413), Expect (417), HTTP/1.1 without
// one Host, more than one Authorization, and what ParseTarget refuses (400). A Transfer-Encoding,
// whichever, is a body. After a body, and after a head that is refused for another cause than its
// method or its target, the connection is not kept.
RequestHead ReadHead(const RequestParser& parser);

// The answer to a head that the parser did not take: 431 for one above the limit, 413 for a body
// above it, 400 for another mistake. Nothing if the connection failed or ended instead.
std::optional<Response> ParseRefusal(const boost::beast::error_code& error);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_REQUEST_HEAD_H_
