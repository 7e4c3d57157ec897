#include "collector/http/api.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "collector/http/answer_question.h"
#include "collector/http/parameters.h"
#include "collector/http/plan_question.h"
#include "collector/http/totals_parameters.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/http/monitor_routes.h"
#include "common/json/task.h"
#include "common/json/totals.h"
#include "common/task/catalog_bound.h"
#include "common/task/named_task.h"

namespace tombola::collector {
namespace {

using http::Request;
using http::Respond;
using http::Response;

constexpr int64_t kMostBatches = 1000;
// Of edges, labels and names of one task in a list, which has 100 edges or labels at most.
constexpr int64_t kMostListedBytes = 128 << 10;
constexpr int64_t kMostTotalsRowBytes = 1024;     // of JSON, with its objects
constexpr int64_t kLargeTask = int64_t{1} << 20;  // of bytes that its labels may take

bool MayRead(const Request& request, const TaskId& task) {
  return request.tasks.empty() ||
         std::find(request.tasks.begin(), request.tasks.end(), ToHex(task)) != request.tasks.end();
}

// The task that the path names. Of tasks that the caller may not read names tell nothing.
absl::StatusOr<TaskId> NamedTask(const Catalog& catalog, const Request& request) {
  const std::string& text = request.segments.at(0);
  if (const auto id = IdFromHex<TaskId>(text)) return *id;
  std::vector<KnownTask> tasks;
  for (const CatalogEntry& entry : catalog.Tasks()) {
    if (!MayRead(request, entry.task->id())) continue;
    tasks.push_back(
        {.id = entry.task->id(), .name = std::string(entry.task->name()), .open = !entry.closed});
  }
  return MatchTask("task", text, tasks);
}

absl::StatusOr<CatalogEntry> FindTask(const Catalog& catalog, const Request& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, NamedTask(catalog, request));
  if (!MayRead(request, id)) {
    return absl::PermissionDeniedError("this token is for other tasks");
  }
  return catalog.Find(id);
}

Response JsonResponse(const Json& json) {
  return http::MakeResponse("application/json", absl::StrCat(ToText(json), "\n"));
}

// The body owns the ticket, which holds no more than the body by then: it is given back when the
// body is written, or dropped.
struct AdmittedText {
  FairShare::Ticket ticket;
  std::string body;
};

Response AdmittedResponse(std::string type, std::string body, FairShare::Ticket ticket) {
  ticket.ShrinkTo(static_cast<int64_t>(body.capacity()));
  auto admitted = std::make_shared<AdmittedText>(
      AdmittedText{.ticket = std::move(ticket), .body = std::move(body)});
  Response response;
  response.type = std::move(type);
  response.body = std::shared_ptr<const std::string>(admitted, &admitted->body);
  return response;
}

absl::StatusOr<Response> Session(const Request& request) {
  TOMBOLA_RETURN_IF_ERROR(Parameters(request).Finish());
  return JsonResponse({{"roles", request.roles}});
}

absl::StatusOr<Response> ListTasks(const ApiParts& parts, const Request& request) {
  Parameters parameters(request);
  const bool archived = parameters.OneOf("archived", {"false", "true"}) == "true";
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  std::vector<CatalogEntry> entries = parts.catalog->Tasks();
  std::erase_if(entries,
                [archived](const CatalogEntry& entry) { return entry.archived != archived; });
  int64_t bytes = 0;
  for (const CatalogEntry& entry : entries) {
    bytes += kTaskOverheadBytes +
             std::min(kMostListedBytes, 4 * static_cast<int64_t>(entry.task->bytes().size()));
  }
  FairShare::Ticket ticket;
  if (bytes > kLargeTask) {
    // For a text that grows by doubling.
    TOMBOLA_ASSIGN_OR_RETURN(ticket, parts.budget->Enter(TaskId{}, 2 * bytes));
  }
  std::string text = R"({"tasks":[)";
  for (const CatalogEntry& entry : entries) {
    if (!MayRead(request, entry.task->id())) continue;
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, parts.infos->Counts(entry));
    absl::StrAppend(&text, text.back() == '[' ? "" : ",",
                    ToText(TaskJson(*entry.task, info, parts.clock->Now())));
  }
  text.append("]}\n");
  return AdmittedResponse("application/json", std::move(text), std::move(ticket));
}

absl::StatusOr<Response> ShowTask(const ApiParts& parts, const Request& request) {
  TOMBOLA_RETURN_IF_ERROR(Parameters(request).Finish());
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, FindTask(*parts.catalog, request));
  // Labels may be large: as objects, and as text.
  const auto bytes =
      static_cast<int64_t>(entry.task->bytes().size() + 64 * entry.task->domain().labels().size());
  FairShare::Ticket ticket;
  if (bytes > kLargeTask) {
    TOMBOLA_ASSIGN_OR_RETURN(ticket, parts.budget->Enter(entry.task->id(), 4 * bytes));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, parts.infos->Counts(entry));
  std::string text = ToText(WholeTaskJson(*entry.task, info, parts.clock->Now()));
  text.push_back('\n');
  return AdmittedResponse("application/json", std::move(text), std::move(ticket));
}

absl::StatusOr<Response> ShowStatus(const ApiParts& parts, const Request& request) {
  Parameters parameters(request);
  const int64_t limit = parameters.Integer("limit", 0, kMostBatches).value_or(100);
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, FindTask(*parts.catalog, request));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, parts.infos->Counts(entry));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<BatchRecord> batches,
                           parts.ledger->Newest(entry.task->id(), limit));
  return JsonResponse(StatusJson(*entry.task, info, *parts.ledger->Totals(entry.task->id()),
                                 batches, parts.clock->Now()));
}

absl::StatusOr<Response> ShowTotals(const ApiParts& parts, const Request& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, FindTask(*parts.catalog, request));
  TOMBOLA_ASSIGN_OR_RETURN(const TotalsParameters read, ReadTotalsParameters(request, *entry.task));
  // As a message, as objects and as text.
  TOMBOLA_ASSIGN_OR_RETURN(
      FairShare::Ticket ticket,
      parts.budget->Enter(
          entry.task->id(),
          static_cast<int64_t>(entry.task->periods().has_value() ? entry.task->periods()->count()
                                                                 : 1) *
              kMostTotalsRowBytes));
  absl::StatusOr<v1::Totals> totals = parts.totals->Get(read.request);
  parts.audit->Note({.who = request.caller,
                     .act = "totals",
                     .about = {{"task", ToHex(entry.task->id())}},
                     .outcome = totals.status()});
  TOMBOLA_RETURN_IF_ERROR(totals.status());
  if (!read.csv) {
    return AdmittedResponse("application/json", absl::StrCat(ToText(TotalsJson(*totals)), "\n"),
                            std::move(ticket));
  }
  Response response = AdmittedResponse("text/csv; charset=utf-8; header=present",
                                       TotalsCsv(*totals), std::move(ticket));
  response.headers.emplace_back("Tombola-Guarantee", ToText(TotalsInfoJson(totals->info())));
  return response;
}

absl::StatusOr<Response> ComputeAnswer(Answers& answers, const AnswerQuestion& question,
                                       const std::function<bool()>& left,
                                       FairShare::Ticket ticket) {
  v1::Answer answer;
  TOMBOLA_RETURN_IF_ERROR(answers.Fill(question.request, &answer, left));
  // Its text may be long too.
  if (left()) return absl::CancelledError("nobody waits for the answer any more");
  AnswerText text = WriteAnswer(question, std::move(answer));
  Response response =
      AdmittedResponse(std::move(text.type), std::move(text.body), std::move(ticket));
  if (!text.complete) response.status = 202;
  response.headers = std::move(text.headers);
  return response;
}

void Send(absl::StatusOr<Response> response, const Respond& respond) {
  respond(response.ok() ? *std::move(response) : http::ErrorResponse(response.status()));
}

absl::StatusOr<AnswerQuestion> ReadQuestion(const ApiParts& parts, const Request& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, FindTask(*parts.catalog, request));
  return ReadAnswerQuestion(request, *entry.task);
}

absl::Status BeginAnswer(const ApiParts& parts, const Request& request, const Respond& respond) {
  absl::StatusOr<AnswerQuestion> read = ReadQuestion(parts, request);
  if (!read.ok()) {
    parts.answers->CountRefused(read.status());
    return read.status();
  }
  AnswerQuestion question = *std::move(read);
  TOMBOLA_ASSIGN_OR_RETURN(FairShare::Ticket ticket,
                           parts.answers->Admit(question.request, AnswerForm::kText));
  // A pool's job is copied, which a ticket is not.
  auto held = std::make_shared<FairShare::Ticket>(std::move(ticket));
  parts.answer_pool->Add([answers = parts.answers, audit = parts.audit, who = request.caller,
                          question = std::move(question), left = request.left, held, respond](int) {
    absl::StatusOr<Response> response = ComputeAnswer(*answers, question, left, std::move(*held));
    audit->Note({.who = who,
                 .act = "answer",
                 .about = {{"task", absl::BytesToHexString(question.request.task_id())}},
                 .outcome = response.status()});
    Send(std::move(response), respond);  // a refusal has given its ticket back by now
  });
  return absl::OkStatus();
}

// Tasks are looked up on the desk: their lock is held over commits.
void GetAnswer(const ApiParts& parts, const Request& request, Respond respond) {
  parts.desk->Add([parts, request, respond = std::move(respond)](int) {
    const absl::Status begun = BeginAnswer(parts, request, respond);
    if (begun.ok()) return;
    parts.audit->Note({.who = request.caller,
                       .act = "answer",
                       .about = {{"task", request.segments.at(0)}},
                       .outcome = begun});
    respond(http::ErrorResponse(begun));
  });
}

void GetPlan(const ApiParts& parts, const Request& request, const Respond& respond) {
  absl::StatusOr<PlanQuestion> question = ReadPlanQuestion(request);
  if (!question.ok()) {
    respond(http::ErrorResponse(question.status()));
  } else {
    parts.plans->Ask(*std::move(question), respond);
  }
}

// A handler that answers on the desk's threads.
http::Handler AtDesk(const ApiParts& parts,
                     absl::StatusOr<Response> (*answer)(const ApiParts&, const Request&)) {
  return [parts, answer](const Request& request, Respond respond) {
    parts.desk->Add([parts, answer, request, respond = std::move(respond)](int) {
      Send(answer(parts, request), respond);
    });
  };
}

}  // namespace

http::Router MakeRoutes(const ApiParts& parts) {
  const std::vector<std::string> everybody;
  const std::vector<std::string> analysts = {std::string(kRoleAnalyst),
                                             std::string(kRoleAdministrator)};
  const std::vector<std::string> monitors = {std::string(kRoleMonitor),
                                             std::string(kRoleAdministrator)};
  http::Router router;
  router.Add({"/v1/session", everybody, [](const Request& request, const Respond& respond) {
                Send(Session(request), respond);
              }});
  router.Add({"/v1/tasks", analysts, AtDesk(parts, ListTasks)});
  router.Add({"/v1/tasks/{id}", analysts, AtDesk(parts, ShowTask)});
  router.Add({"/v1/tasks/{id}/answer", analysts, [parts](const Request& request, Respond respond) {
                GetAnswer(parts, request, std::move(respond));
              }});
  router.Add({"/v1/tasks/{id}/status", analysts, AtDesk(parts, ShowStatus)});
  router.Add({"/v1/tasks/{id}/totals", analysts, AtDesk(parts, ShowTotals)});
  router.Add({"/v1/plan", analysts, [parts](const Request& request, const Respond& respond) {
                GetPlan(parts, request, respond);
              }});
  http::AddMonitorRoutes({.ready = parts.ready,
                          .metrics = parts.metrics,
                          .pool = parts.monitor,
                          .roles = monitors,
                          .answers_metric = "tombola_collector_http_answers_total"},
                         &router);
  router.Add({"/openapi.json", everybody, [](const Request&, const Respond& respond) {
                respond(http::MakeResponse("application/json", std::string(OpenApi())));
              }});
  router.Otherwise([files = parts.files](const Request& request, const Respond& respond) {
    respond(absl::StartsWith(request.path, "/v1/")
                ? http::ErrorResponse(absl::NotFoundError(
                      "there is nothing at this path: /openapi.json lists those that are"))
                : files->Serve(request));
  });
  return router;
}

}  // namespace tombola::collector
