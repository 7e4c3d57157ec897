#include "collector/http/histogram_question.h"

#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/json/histogram.h"
#include "common/json/text.h"

namespace tombola::collector {

std::shared_ptr<const KindQuestion> HistogramQuestion::Read(Parameters& parameters) {
  auto read = std::make_shared<HistogramQuestion>();
  read->top_ = static_cast<uint64_t>(parameters.Integer("top", 0, int64_t{1} << 24).value_or(0));
  read->values_ = parameters.Texts("value");
  if (parameters.Text("order").has_value()) {
    const bool natural = parameters.OneOf("order", {"natural", "frequency"}) == "natural";
    read->order_ = natural ? BinOrder::kValue : BinOrder::kFrequency;
  }
  return read;
}

absl::Status HistogramQuestion::SetQuestion(const Task& task, v1::GetAnswerRequest* request) const {
  v1::HistogramQuestion* const question = request->mutable_histogram();
  question->set_top(top_);
  absl::flat_hash_set<uint64_t> seen;
  for (const std::string& name : values_) {
    const std::optional<uint64_t> value = task.domain().Find(name);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("value: ", name, " is not among the task's values"));
    }
    if (!seen.insert(*value).second) {
      return absl::InvalidArgumentError(absl::StrCat("value: ", name, " is asked for twice"));
    }
    question->add_values(*value);
  }
  return absl::OkStatus();
}

void HistogramQuestion::Sort(v1::Answer* answer) const {
  if (order_.has_value()) tombola::Sort(*order_, *answer->mutable_histogram());
}

Headers HistogramQuestion::BesideRows(const v1::Answer& answer) const {
  return {{"Tombola-Max-Error", ToText(Json(answer.histogram().max_error()))}};
}

}  // namespace tombola::collector
