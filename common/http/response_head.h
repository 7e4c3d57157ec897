// The status line and the headers of an answer. Private to this folder.
#ifndef TOMBOLA_COMMON_HTTP_RESPONSE_HEAD_H_
#define TOMBOLA_COMMON_HTTP_RESPONSE_HEAD_H_

#include <string>

#include "common/http/message.h"

namespace tombola::http {

enum class Connect { kClose, kKeep, kKeepAndSay };

// Up to and with the empty line. Control characters in a header become spaces, so that none can
// add another.
std::string ResponseHead(const Response& response, Connect connect);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_RESPONSE_HEAD_H_
