#include "common/json/stream_plan.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/crypto/hpke_suite.h"
#include "common/json/mechanism.h"
#include "common/kind/stream.h"
#include "common/kind/stream_device.h"

namespace tombola {

using accounting::EpsilonDelta;
using mechanism::StreamCandidate;
using mechanism::StreamPlanRequest;

std::optional<EpsilonDelta> DeviceLevel(const StreamCandidate& candidate,
                                        const StreamPlanRequest& request) {
  if (!candidate.feasible || request.device_periods == 1) return std::nullopt;
  StreamKind::NodeList nodes{.mechanisms = candidate.nodes};
  for (int64_t node = 1; node <= request.periods; ++node) {
    nodes.smallest.push_back((node - candidate.layout->start(node)) * request.plan.honest);
  }
  nodes.honest = nodes.smallest;
  const StreamKind kind(*candidate.layout, std::move(nodes));
  return OverDevicePeriods(kind, std::min(request.device_periods, request.periods),
                           {request.plan.epsilon, request.plan.delta});
}

double BytesPerUser(const StreamCandidate& candidate) {
  return candidate.messages *
         static_cast<double>(candidate.nodes.front()->report_bytes() + crypto::kHpkeOverhead);
}

Json StreamPlanJson(const std::vector<StreamCandidate>& candidates,
                    const mechanism::StreamChoice& choice, const StreamPlanRequest& request) {
  Json rows = Json::array();
  for (const StreamCandidate& candidate : candidates) {
    const auto known = [&](auto value) { return candidate.feasible ? Json(value) : Json(); };
    const auto device = DeviceLevel(candidate, request);
    const bool holds = device.has_value() && device->delta < 1;
    rows.push_back({{"mechanism", candidate.mechanism},
                    {"structure", std::string(mechanism::NameOf(candidate.structure))},
                    {"feasible", candidate.feasible},
                    {"reason", candidate.reason},
                    {"depth", known(candidate.depth)},
                    {"variance_mean", FiniteOrNull(candidate.variance_mean)},
                    {"variance_max", FiniteOrNull(candidate.variance_max)},
                    {"variance_single", FiniteOrNull(candidate.variance_single)},
                    {"messages_per_user", known(candidate.messages)},
                    {"max_messages_per_user", known(candidate.most_messages)},
                    {"bytes_per_user", candidate.feasible ? Json(BytesPerUser(candidate)) : Json()},
                    {"total_epsilon", holds ? Json(device->epsilon) : Json()},
                    {"total_delta", holds ? Json(device->delta) : Json()}});
  }
  const StreamCandidate* const best = choice.candidate;
  return Json{{"recommended", best == nullptr ? Json() : Json(best->mechanism)},
              {"structure",
               best == nullptr ? Json() : Json(std::string(mechanism::NameOf(best->structure)))},
              {"why", choice.why},
              {"candidates", std::move(rows)}};
}

}  // namespace tombola
