// What GET /v1/tasks/{id}/answer asks of each kind of task, beside what it asks of all.
#ifndef TOMBOLA_COLLECTOR_HTTP_KIND_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_KIND_QUESTION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "collector/http/parameters.h"
#include "common/json/text.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Headers of a response: names, and values in JSON.
using Headers = std::vector<std::pair<std::string, std::string>>;

// The parameters of one request that are its kind's own. Immutable and thread-safe.
class KindQuestion {
 public:
  virtual ~KindQuestion() = default;

  // Sets the request's question. InvalidArgument names the parameter and its bound.
  virtual absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const = 0;

  // Puts the rows of the answer, which is of this kind, into the order that was asked for.
  virtual void Sort(v1::Answer* answer) const = 0;

  // What the answer's body says beside its rows, for which CSV has no place.
  virtual Headers BesideRows(const v1::Answer& answer) const = 0;

  // Members that JSON has besides, because of how it was asked.
  virtual Json Besides(const v1::Answer& answer) const;
};

struct QuestionReader {
  absl::string_view kind;  // its name
  // What `postprocess` is where it is not given.
  absl::string_view usual_postprocess;
  // Reads the kind's own parameters; those that are wrong are told by Parameters::Finish.
  std::shared_ptr<const KindQuestion> (*read)(Parameters& parameters);
};

// One for each of Kinds::BuiltIn().
const std::vector<QuestionReader>& AllQuestionReaders();

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_KIND_QUESTION_H_
