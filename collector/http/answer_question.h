// What GET /v1/tasks/{id}/answer asks for, and what it gets.
#ifndef TOMBOLA_COLLECTOR_HTTP_ANSWER_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_ANSWER_QUESTION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "collector/http/kind_question.h"
#include "common/http/message.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

struct AnswerQuestion {
  v1::GetAnswerRequest request;
  bool csv = false;
  std::shared_ptr<const KindQuestion> of_kind;
};

// InvalidArgument names the parameter and its bound.
absl::StatusOr<AnswerQuestion> ReadAnswerQuestion(const http::Request& request, const Task& task);

// The answer in the form that was asked for. CSV has no place for what is not a row, so headers say
// it: Tombola-Guarantee, those of the kind, Tombola-Warnings, the list of the warnings' kinds, and
// Tombola-Periods.
// A search that is under way (of strings) is told in JSON in either form, and is no answer yet.
struct AnswerText {
  bool complete = true;
  std::string type;
  std::string body;
  Headers headers;  // none: all of it is in the body
};
AnswerText WriteAnswer(const AnswerQuestion& question, v1::Answer answer);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_ANSWER_QUESTION_H_
