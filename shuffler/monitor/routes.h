// The shuffler's HTTP port: whether it lives, whether it can serve, and its metrics.
#ifndef TOMBOLA_SHUFFLER_MONITOR_ROUTES_H_
#define TOMBOLA_SHUFFLER_MONITOR_ROUTES_H_

#include <functional>

#include "absl/status/status.h"
#include "common/http/router.h"
#include "common/metrics/metrics.h"

namespace tombola::shuffler {

// /healthz and /readyz for everybody, /metrics for the roles `monitor` and `operator`. `ready` says
// why not, in one line without anything secret; it and `metrics` outlive the router.
http::Router MonitorRoutes(std::function<absl::Status()> ready, const Metrics* metrics);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_MONITOR_ROUTES_H_
