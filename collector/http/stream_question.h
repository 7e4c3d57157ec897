// What GET /v1/tasks/{id}/answer asks of a stream.
#ifndef TOMBOLA_COLLECTOR_HTTP_STREAM_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_STREAM_QUESTION_H_

#include <memory>

#include "collector/http/kind_question.h"

namespace tombola::collector {

// The parameters `at`, `series` and `single` beside those of a histogram. SetQuestion is
// InvalidArgument where `at` stands beside other periods, or `single` without `series`.
std::shared_ptr<const KindQuestion> ReadStreamQuestion(Parameters& parameters);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_STREAM_QUESTION_H_
