#include "collector/http/plan_text.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/json/plan.h"
#include "common/json/records_plan.h"
#include "common/json/stream_plan.h"
#include "common/json/strings_plan.h"
#include "common/json/text.h"
#include "common/kind/records.h"
#include "common/plan/records.h"
#include "common/plan/stream.h"

namespace tombola::collector {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;

// Points of all candidates of a stream together: what is left after them is not feasible.
constexpr int64_t kMostStreamWork = int64_t{1} << 28;

mechanism::Left LeftOf(const PlanQuestion& question) {
  if (!std::isinf(question.request.max_local_epsilon)) return mechanism::Left::kAnything;
  return question.numbers.has_value() ? mechanism::LeftByDefault(*question.numbers)
                                      : mechanism::LeftByDefault(question.request.filling);
}

Json CandidatesJson(const PlanQuestion& question, const PlanRequest& request,
                    const std::vector<Candidate>& candidates) {
  const Candidate* const best = mechanism::Recommended(candidates, LeftOf(question));
  Json rows = Json::array();
  for (const Candidate& candidate : candidates) {
    rows.push_back(CandidateJson(candidate, request, question.options));
  }
  Json json = {{"epsilon", request.epsilon},
               {"recommended", best == nullptr ? Json() : Json(best->name)},
               {"sent", best == nullptr || !best->sent.has_value() ? Json() : Json(*best->sent)}};
  if (question.numbers.has_value()) {
    json["cells"] = best == nullptr ? Json() : Json(best->mechanism->domain_size());
    json["branching"] =
        best == nullptr || !best->branching.has_value() ? Json() : Json(*best->branching);
  }
  json["candidates"] = std::move(rows);
  if (question.numbers.has_value()) {
    mechanism::NumberPlanRequest numbers = *question.numbers;
    numbers.plan = request;
    json["warnings"] = NumberPlanWarnings(best, numbers);
  } else {
    json["warnings"] = PlanWarnings(best, request);
  }
  return json;
}

absl::StatusOr<Json> RecordsJson(const v1::Records& asked, const PlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records planned, mechanism::PlanViews(asked, request));
  TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(planned));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates,
                           mechanism::PlanRecords(cells, request));
  const Candidate* const best = Recommended(candidates, mechanism::Left::kAnything);
  Json json = {{"epsilon", request.epsilon}};
  if (best == nullptr) {
    json.update(Json{{"recommended", Json()},
                     {"reason", WhyNone(candidates)},
                     {"max_records", cells.schema.max_records},
                     {"cells", cells.cells},
                     {"messages_per_user", Json()},
                     {"parameters", Json::object()},
                     {"views", Json::array()},
                     {"warnings", PlanWarnings(nullptr, request)}});
    return json;
  }
  const std::vector<mechanism::ViewCost> costs =
      CostsOf(cells, *best->mechanism, request.submissions);
  json.update(RecordsPlanJson(cells, *best, costs,
                              RecordsWarnings(cells, *best, request, costs, std::nullopt)));
  return json;
}

absl::StatusOr<Json> StringsJson(const PlanQuestion& question, const PlanRequest& request) {
  mechanism::StringPlanRequest strings = *question.strings;
  strings.plan = request;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::StringPlan> plans, PlanStrings(strings));
  Json json = {{"epsilon", request.epsilon}};
  json.update(StringsPlanJson(plans, RecommendedStrings(plans, LeftOf(question)), strings));
  return json;
}

absl::StatusOr<Json> StreamJson(mechanism::StreamPlanRequest asked, const PlanRequest& request) {
  accounting::Work work(kMostStreamWork);
  asked.plan = request;
  asked.plan.all_work = &work;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::StreamCandidate> candidates,
                           mechanism::PlanStream(asked));
  Json json = {{"epsilon", request.epsilon},
               {"periods", asked.periods},
               {"device_periods", asked.device_periods}};
  json.update(StreamPlanJson(candidates, mechanism::ChooseStream(candidates, asked), asked));
  return json;
}

}  // namespace

std::string PlanKey(const PlanQuestion& question, double epsilon) {
  const PlanRequest& plan = question.request;
  std::string key =
      absl::StrCat(question.kind, " ", plan.submissions, " ", plan.domain_size, " ",
                   question.values, " ", plan.filling.held, " ", question.options.levels, " ",
                   question.options.min_batch ? "with" : "without");
  for (const double number : {epsilon, plan.delta, plan.max_local_epsilon, plan.max_messages,
                              plan.frequency, question.options.min_honest}) {
    key.push_back(' ');
    AppendNumber(number, &key);
  }
  if (const auto& numbers = question.numbers; numbers.has_value()) {
    absl::StrAppend(&key, numbers->missing ? " missing" : "", numbers->dithered ? " dithered" : "",
                    " ", numbers->branching.value_or(-1), " ", numbers->sent.value_or(-1));
  }
  if (const auto& strings = question.strings; strings.has_value()) {
    absl::StrAppend(&key, strings->whole ? " whole " : " ", strings->symbols, " ", strings->length,
                    " ", strings->step.value_or(0), " ");
    AppendNumber(strings->dictionary, &key);
  }
  if (question.records.has_value()) absl::StrAppend(&key, " ", question.records->schema);
  if (const auto& stream = question.stream; stream.has_value()) {
    absl::StrAppend(&key, " ", stream->periods, " ", stream->device_periods, " ",
                    stream->structure.has_value() ? NameOf(*stream->structure) : "auto");
  }
  return key;
}

absl::StatusOr<std::string> PlanText(const PlanQuestion& question, double epsilon) {
  PlanRequest request = question.request;
  request.epsilon = epsilon;
  if (question.records.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Json json, RecordsJson(question.records->asked, request));
    return ToText(json);
  }
  if (question.strings.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Json json, StringsJson(question, request));
    return ToText(json);
  }
  if (question.stream.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const Json json, StreamJson(*question.stream, request));
    return ToText(json);
  }
  if (!question.numbers.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, mechanism::PlanAll(request));
    return ToText(CandidatesJson(question, request, candidates));
  }
  mechanism::NumberPlanRequest numbers = *question.numbers;
  numbers.plan = request;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, mechanism::PlanNumber(numbers));
  return ToText(CandidatesJson(question, request, candidates));
}

std::string WritePlans(const PlanQuestion& question, const std::vector<std::string>& plans) {
  std::string text = ToText({{"kind", question.kind},
                             {"users", question.request.submissions},
                             {"domain", question.values == 0 ? Json() : Json(question.values)},
                             {"delta", question.request.delta}});
  text.pop_back();
  absl::StrAppend(&text, ",\"plans\":[", absl::StrJoin(plans, ","), "]}\n");
  return text;
}

}  // namespace tombola::collector
