#include "collector/http/histogram_question.h"

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/table/domain_size.h"

namespace tombola::collector {

HistogramParameters ReadHistogramParameters(Parameters& parameters) {
  HistogramParameters read;
  read.top =
      static_cast<uint64_t>(parameters.Integer("top", 0, mechanism::kLargestDomain).value_or(0));
  read.values = parameters.Texts("value");
  if (parameters.Text("order").has_value()) {
    const bool natural = parameters.OneOf("order", {"natural", "frequency"}) == "natural";
    read.order = natural ? BinOrder::kValue : BinOrder::kFrequency;
  }
  return read;
}

absl::Status SetQuestion(const HistogramParameters& parameters, const Task& task,
                         v1::GetAnswerRequest* request) {
  v1::HistogramQuestion* const question = request->mutable_histogram();
  question->set_top(parameters.top);
  absl::flat_hash_set<uint64_t> seen;
  for (const std::string& name : parameters.values) {
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

}  // namespace tombola::collector
