#include "collector/http/histogram_question.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "collector/http/parameters.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

v1::Postprocess PostprocessOf(absl::string_view name) {
  if (name == "none") return v1::POSTPROCESS_NONE;
  if (name == "norm_sub") return v1::POSTPROCESS_NORM_SUB;
  if (name == "base_cut") return v1::POSTPROCESS_BASE_CUT;
  if (name == "em") return v1::POSTPROCESS_EM;
  return v1::POSTPROCESS_POP;
}

absl::Status AddValues(const std::vector<std::string>& names, const Domain& domain,
                       v1::GetHistogramRequest* request) {
  absl::flat_hash_set<uint64_t> seen;
  for (const std::string& name : names) {
    const std::optional<uint64_t> value = domain.Find(name);
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("value: ", name, " is not among the task's values"));
    }
    if (!seen.insert(*value).second) {
      return absl::InvalidArgumentError(absl::StrCat("value: ", name, " is asked for twice"));
    }
    request->add_values(*value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HistogramQuestion> ReadHistogramQuestion(const http::Request& request,
                                                        const Task& task) {
  Parameters parameters(request);
  HistogramQuestion question;
  v1::GetHistogramRequest& wire = question.request;
  wire.set_task_id(std::string(AsView(task.id())));
  wire.set_postprocess(PostprocessOf(
      parameters.OneOf("postprocess", {"pop", "none", "norm_sub", "base_cut", "em"})));
  wire.set_confidence(parameters.Number("confidence").value_or(0.95));
  wire.set_top(static_cast<uint64_t>(parameters.Integer("top", 0, int64_t{1} << 24).value_or(0)));
  const std::vector<std::string> values = parameters.Texts("value");
  if (parameters.Text("order").has_value()) {
    const bool natural = parameters.OneOf("order", {"natural", "frequency"}) == "natural";
    question.order = natural ? BinOrder::kValue : BinOrder::kFrequency;
  }
  const bool wants_csv = absl::StrContains(request.accept, "text/csv");
  question.csv = parameters.Text("format").has_value()
                     ? parameters.OneOf("format", {"json", "csv"}) == "csv"
                     : wants_csv;
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  if (!(wire.confidence() > 0 && wire.confidence() < 1)) {
    return absl::InvalidArgumentError("confidence must be in (0, 1)");
  }
  TOMBOLA_RETURN_IF_ERROR(AddValues(values, task.domain(), &wire));
  return question;
}

HistogramText WriteHistogram(const HistogramQuestion& question, v1::Histogram histogram) {
  if (question.order.has_value()) Sort(*question.order, histogram);
  if (question.csv) {
    return {.type = "text/csv; charset=utf-8; header=present",
            .body = HistogramCsv(histogram),
            .guarantee = ToText(GuaranteeJson(histogram.guarantee()))};
  }
  HistogramText text{.type = "application/json", .body = HistogramJson(histogram)};
  text.body.push_back('\n');
  return text;
}

}  // namespace tombola::collector
