// Which kinds of tasks there are answers for.
#ifndef TOMBOLA_COLLECTOR_ANSWER_REGISTRY_H_
#define TOMBOLA_COLLECTOR_ANSWER_REGISTRY_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/answer/answerer.h"

namespace tombola::collector {

// Immutable and thread-safe.
class Answerers {
 public:
  explicit Answerers(std::vector<std::unique_ptr<const Answerer>> answerers)
      : answerers_(std::move(answerers)) {}

  // One for each of Kinds::BuiltIn().
  static const Answerers& All();

  const std::vector<std::unique_ptr<const Answerer>>& entries() const { return answerers_; }

  // The one of a task's kind, which must be among them.
  const Answerer& Of(absl::string_view kind) const;
  // The same for a question. InvalidArgument: the request has no question, or one of another kind.
  absl::StatusOr<const Answerer*> For(absl::string_view kind,
                                      const v1::GetAnswerRequest& request) const;

 private:
  const std::vector<std::unique_ptr<const Answerer>> answerers_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_REGISTRY_H_
