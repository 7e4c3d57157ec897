// What both daemons answer to whoever watches them.
#ifndef TOMBOLA_COMMON_HTTP_MONITOR_ROUTES_H_
#define TOMBOLA_COMMON_HTTP_MONITOR_ROUTES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/base/work_pool.h"
#include "common/http/router.h"
#include "common/metrics/metrics.h"

namespace tombola::http {

struct MonitorParts {
  // Whether the daemon can serve, at once and from any thread; else why not, in one line that
  // everybody may read.
  std::function<absl::Status()> ready;
  Metrics* metrics = nullptr;
  WorkPool* pool = nullptr;         // reads the metrics, which looks at disks and takes locks
  std::vector<std::string> roles;   // who may read them
  std::string answers_metric = "";  // name of the counter of answers over HTTP, by path and status
};

// Adds /healthz and /readyz for everybody and /metrics, and counts the answers of all routes. The
// parts outlive the router.
void AddMonitorRoutes(const MonitorParts& parts, Router* router);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_MONITOR_ROUTES_H_
