// What GET /v1/tasks/{id}/answer asks about numbers.
#ifndef TOMBOLA_COLLECTOR_HTTP_NUMBER_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_NUMBER_QUESTION_H_

#include <memory>

#include "collector/http/kind_question.h"

namespace tombola::collector {

// The parameters `quantiles`, `where` and `bins`. SetQuestion is InvalidArgument where one of them
// cannot be read. CSV has the bins; the rest is in the headers Tombola-Count, Tombola-Mean,
// Tombola-Sum and Tombola-Quantiles, as in the JSON object.
std::shared_ptr<const KindQuestion> ReadNumberQuestion(Parameters& parameters);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_NUMBER_QUESTION_H_
