// What GET /v1/tasks/{id}/answer asks of strings.
#ifndef TOMBOLA_COLLECTOR_HTTP_STRINGS_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_STRINGS_QUESTION_H_

#include <memory>

#include "collector/http/kind_question.h"

namespace tombola::collector {

// The parameters `top`, `value`, which may repeat and names strings that are looked up, `order` and
// `false_strings`. Longer lists than a request's line has are asked for over gRPC.
std::shared_ptr<const KindQuestion> ReadStringsQuestion(Parameters& parameters);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_STRINGS_QUESTION_H_
