// What GET /v1/tasks/{id}/answer asks of kinds whose answers have a row for each value.
#ifndef TOMBOLA_COLLECTOR_HTTP_ROWS_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_ROWS_QUESTION_H_

#include <memory>

#include "collector/http/kind_question.h"

namespace tombola::collector {

// The parameters `top`, `value` and `order`. SetQuestion is InvalidArgument where a value is not
// among the task's, or is asked for twice.
std::shared_ptr<const KindQuestion> ReadHistogramQuestion(Parameters& parameters);
std::shared_ptr<const KindQuestion> ReadSetQuestion(Parameters& parameters);
std::shared_ptr<const KindQuestion> ReadKeyValueQuestion(Parameters& parameters);
// Of a stream, which is asked for more (stream_question.h).
std::shared_ptr<const KindQuestion> ReadStreamRows(Parameters& parameters);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_ROWS_QUESTION_H_
