#include "collector/http/answer_question.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "collector/http/parameters.h"
#include "common/base/status_macros.h"
#include "common/json/answer.h"
#include "common/kind/kind.h"
#include "common/kind/of_kind.h"

namespace tombola::collector {
namespace {

constexpr int64_t kMostPeriods = int64_t{1} << 40;

// Kinds are words of ours, so that a header can carry them; texts are for people, in any length.
Json WarningKinds(const v1::Answer& answer) {
  Json kinds = Json::array();
  for (const v1::QualityWarning& warning : answer.quality().warnings()) {
    kinds.push_back(warning.kind());
  }
  return kinds;
}

v1::Postprocess ReadPostprocess(absl::string_view usual, Parameters& parameters) {
  const std::vector<absl::string_view> names(PostprocessNames().begin(), PostprocessNames().end());
  const bool given = parameters.Text("postprocess").has_value();
  return PostprocessFromName(given ? parameters.OneOf("postprocess", names) : std::string(usual))
      .value_or(v1::POSTPROCESS_UNSPECIFIED);
}

// InvalidArgument: named twice. Whether a number stands beside a time is told with the task.
absl::Status ReadPeriods(Parameters& parameters, v1::GetAnswerRequest* wire) {
  const int64_t period = parameters.Integer("period", 1, kMostPeriods).value_or(0);
  wire->set_first_period(static_cast<uint64_t>(period));
  wire->set_last_period(static_cast<uint64_t>(period));
  // Each a time or, as a number of a period, both included.
  if (const auto since = PeriodFromText(parameters.Text("since").value_or(""))) {
    wire->set_first_period(*since);
  } else {
    wire->set_since(parameters.Moment("since").value_or(0));
  }
  if (const auto until = PeriodFromText(parameters.Text("until").value_or(""))) {
    wire->set_last_period(*until);
  } else {
    wire->set_until(parameters.Moment("until").value_or(0));
  }
  const auto number = static_cast<uint64_t>(period);
  if (period != 0 && (wire->first_period() != number || wire->last_period() != number)) {
    return absl::InvalidArgumentError(
        "periods must be named by period, or by since and until, not by both");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AnswerQuestion> ReadAnswerQuestion(const http::Request& request, const Task& task) {
  Parameters parameters(request);
  AnswerQuestion question;
  v1::GetAnswerRequest& wire = question.request;
  wire.set_task_id(std::string(AsView(task.id())));
  const QuestionReader& reader = OfKind(AllQuestionReaders(), task.kind().name());
  // Of a stream that of the kind which it is of.
  const QuestionReader& batch = OfKind(AllQuestionReaders(), task.kind().OfOneBatch().name());
  wire.set_postprocess(ReadPostprocess(batch.usual_postprocess, parameters));
  wire.set_confidence(parameters.Number("confidence").value_or(0.95));
  const absl::Status periods = ReadPeriods(parameters, &wire);
  question.of_kind = reader.read(parameters);
  const bool wants_csv = absl::StrContains(request.accept, "text/csv");
  question.csv = parameters.Text("format").has_value()
                     ? parameters.OneOf("format", {"json", "csv"}) == "csv"
                     : wants_csv;
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  TOMBOLA_RETURN_IF_ERROR(periods);
  if (!(wire.confidence() > 0 && wire.confidence() < 1)) {
    return absl::InvalidArgumentError("confidence must be in (0, 1)");
  }
  TOMBOLA_RETURN_IF_ERROR(question.of_kind->SetQuestion(task, &wire));
  return question;
}

AnswerText WriteAnswer(const AnswerQuestion& question, v1::Answer answer) {
  const bool under_way = answer.strings().has_decoding();
  if (!under_way) question.of_kind->Sort(&answer);
  if (question.csv && !under_way) {
    Headers headers = question.of_kind->BesideRows(answer);
    headers.emplace_back("Tombola-Guarantee", ToText(GuaranteeJson(answer.guarantee())));
    headers.emplace_back("Tombola-Warnings", ToText(WarningKinds(answer)));
    headers.emplace_back("Tombola-Periods", ToText(PeriodsJson(answer)));
    return {.complete = true,
            .type = "text/csv; charset=utf-8; header=present",
            .body = AnswerCsv(answer),
            .headers = std::move(headers)};
  }
  AnswerText text{.complete = !under_way,
                  .type = "application/json",
                  .body = AnswerJson(answer, {}, question.of_kind->Besides(answer)),
                  .headers = {}};
  text.body.push_back('\n');
  return text;
}

}  // namespace tombola::collector
