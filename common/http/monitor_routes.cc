#include "common/http/monitor_routes.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tombola::http {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";

Response ReadyResponse(const absl::Status& status) {
  Response response =
      MakeResponse(kText, status.ok() ? "ready\n" : absl::StrCat(status.message(), "\n"));
  if (!status.ok()) response.status = 503;
  return response;
}

}  // namespace

void AddMonitorRoutes(const MonitorParts& parts, Router* router) {
  router->Add({"/healthz",
               {},
               [](const Request&, const Respond& respond) { respond(MakeResponse(kText, "ok\n")); },
               /*health=*/true});
  router->Add({"/readyz",
               {},
               [ready = parts.ready](const Request&, const Respond& respond) {
                 respond(ReadyResponse(ready()));
               },
               /*health=*/true});
  router->Add({"/metrics", parts.roles,
               [metrics = parts.metrics, pool = parts.pool](const Request&, Respond respond) {
                 pool->Add([metrics, respond = std::move(respond)](int) {
                   respond(MakeResponse(kPrometheusText, metrics->Text()));
                 });
               }});
  const auto count = [metrics = parts.metrics, name = parts.answers_metric](
                         absl::string_view path, int status, double answers) {
    metrics
        ->Counter(name,
                  "Answers over HTTP, by path and status; other: files, and paths that there are "
                  "not.",
                  {{"path", std::string(path)}, {"status", absl::StrCat(status)}})
        .Increment(answers);
  };
  count("/metrics", 200, 0);  // so that there is one from the start
  router->Tell([count](absl::string_view path, int status) { count(path, status, 1); });
}

}  // namespace tombola::http
