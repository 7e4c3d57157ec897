#include "collector/answer/registry.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/answer/histogram.h"
#include "collector/answer/key_value.h"
#include "collector/answer/number.h"
#include "collector/answer/records.h"
#include "collector/answer/set.h"
#include "collector/answer/stream.h"
#include "collector/answer/strings.h"
#include "common/base/check.h"

namespace tombola::collector {
namespace {

// The name of the question that was asked; empty: none was.
std::string KindOf(const v1::GetAnswerRequest& request) {
  const auto* const asked =
      v1::GetAnswerRequest::descriptor()->FindFieldByNumber(request.question_case());
  return asked == nullptr ? "" : asked->name();
}

}  // namespace

const Answerers& Answerers::All() {
  static const auto* const all = [] {
    std::vector<std::unique_ptr<const Answerer>> answerers;
    answerers.push_back(std::make_unique<HistogramAnswerer>());
    answerers.push_back(std::make_unique<SetAnswerer>());
    answerers.push_back(std::make_unique<KeyValueAnswerer>());
    answerers.push_back(std::make_unique<NumberAnswerer>());
    answerers.push_back(std::make_unique<RecordsAnswerer>());
    answerers.push_back(std::make_unique<StreamAnswerer>());
    answerers.push_back(std::make_unique<StringsAnswerer>());
    return new Answerers(std::move(answerers));
  }();
  return *all;
}

const Answerer& Answerers::Of(absl::string_view kind) const {
  const auto found = std::find_if(answerers_.begin(), answerers_.end(),
                                  [&](const auto& answerer) { return answerer->kind() == kind; });
  TOMBOLA_CHECK(found != answerers_.end());
  return **found;
}

absl::StatusOr<const Answerer*> Answerers::For(absl::string_view kind,
                                               const v1::GetAnswerRequest& request) const {
  const std::string asked = KindOf(request);
  if (asked.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("question must be set: ", kind, " is what the task can be asked"));
  }
  if (asked != kind) {
    return absl::InvalidArgumentError(absl::StrCat("the question is of the kind ", asked,
                                                   ", but the task is of the kind ", kind));
  }
  for (const auto& answerer : answerers_) {
    if (answerer->kind() == kind) return answerer.get();
  }
  return absl::UnimplementedError(
      absl::StrCat("this collector has no answers for tasks of the kind ", kind));
}

}  // namespace tombola::collector
