#include "shuffler/monitor/routes.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/roles.h"

namespace tombola::shuffler {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";
constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

http::Router MonitorRoutes(std::function<absl::Status()> ready, const Metrics* metrics) {
  http::Router router;
  router.Add({.pattern = "/healthz",
              .roles = {},
              .handler = [](const http::Request&, http::Respond respond) {
                respond(http::MakeResponse(kText, "ok\n"));
              }});
  router.Add({.pattern = "/readyz",
              .roles = {},
              .handler = [ready = std::move(ready)](const http::Request&, http::Respond respond) {
                const absl::Status status = ready();
                http::Response response = http::MakeResponse(
                    kText, status.ok() ? "ready\n" : absl::StrCat(status.message(), "\n"));
                if (!status.ok()) response.status = 503;
                respond(std::move(response));
              }});
  router.Add({.pattern = "/metrics",
              .roles = {std::string(kRoleMonitor), std::string(kRoleOperator)},
              .handler = [metrics](const http::Request&, http::Respond respond) {
                respond(http::MakeResponse(kPrometheusText, metrics->Text()));
              }});
  return router;
}

}  // namespace tombola::shuffler
