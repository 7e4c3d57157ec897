// What GET /v1/tasks/{id}/answer asks of records.
#ifndef TOMBOLA_COLLECTOR_HTTP_RECORDS_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_RECORDS_QUESTION_H_

#include <memory>

#include "collector/http/kind_question.h"

namespace tombola::collector {

// The parameters `where` and `by`, which may repeat, `measure` and `quantiles`. SetQuestion is
// InvalidArgument where one of them is none of the task's.
std::shared_ptr<const KindQuestion> ReadRecordsQuestion(Parameters& parameters);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_RECORDS_QUESTION_H_
