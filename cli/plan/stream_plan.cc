#include "cli/plan/stream_plan.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/stream_plan.h"
#include "common/kind/stream.h"
#include "common/plan/stream.h"
#include "common/task/whole_life.h"

namespace tombola::cli {
namespace {

using mechanism::StreamCandidate;
using mechanism::StreamPlanRequest;

void PrintStreamRow(const StreamCandidate& candidate, bool recommended,
                    const StreamPlanRequest& request) {
  std::cout << absl::StrFormat("%s %-11s %-9s", recommended ? "*" : " ", candidate.mechanism,
                               mechanism::NameOf(candidate.structure));
  if (!candidate.feasible) {
    std::cout << "  not feasible: " << candidate.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat("  %5d  %9.4g  %9.4g  %9.4g  %8.4g  %7d  %7.0f\n", candidate.depth,
                               candidate.variance_mean, candidate.variance_max,
                               candidate.variance_single, candidate.messages,
                               candidate.most_messages, BytesPerUser(candidate));
  const auto device = DeviceLevel(candidate, request);
  if (!device.has_value()) return;
  std::cout << absl::StrFormat("  %-11s %-9s  a device of %d periods: %s\n", "", "",
                               request.device_periods, PairText(*device));
}

}  // namespace

absl::Status PlanStreamPeriods(const StreamPlanFlags& flags, const mechanism::PlanRequest& plan,
                               bool json) {
  if (!flags.periods.has_value()) {
    return absl::InvalidArgumentError("--periods must be given for --kind stream");
  }
  if (plan.domain_size == 0) return absl::InvalidArgumentError("--domain must be given");
  if (plan.method == mechanism::Method::kPublished) {
    return absl::InvalidArgumentError("--method must be tight for --kind stream");
  }
  const StreamPlanRequest request{.plan = plan,
                                  .periods = *flags.periods,
                                  .structure = mechanism::StructureNamed(flags.structure),
                                  .device_periods = flags.device_periods};
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<StreamCandidate> candidates,
                           mechanism::PlanStream(request));
  const mechanism::StreamChoice choice = mechanism::ChooseStream(candidates, request);
  if (json) {
    Json object = {{"kind", std::string(StreamKind::kName)},
                   {"users", plan.submissions},
                   {"honest", plan.honest},
                   {"domain", plan.domain_size},
                   {"periods", request.periods},
                   {"device_periods", request.device_periods},
                   {"frequency", plan.frequency},
                   {"epsilon", plan.epsilon},
                   {"delta", plan.delta}};
    object.update(StreamPlanJson(candidates, choice, request));
    Print(object);
    return absl::OkStatus();
  }
  std::cout << absl::StrFormat(
      "%d periods of %d users, %d honest; %d values; epsilon %s, delta %s\n\n"
      "  %-11s %-9s  %5s  %9s  %9s  %9s  %8s  %7s  %7s\n",
      request.periods, plan.submissions, plan.honest, plan.domain_size, RoundedUp(plan.epsilon, 6),
      RoundedUp(plan.delta, 6), "mechanism", "structure", "nodes", "variance", "largest",
      "a period", "messages", "at most", "bytes");
  for (const StreamCandidate& candidate : candidates) {
    PrintStreamRow(candidate, &candidate == choice.candidate, request);
  }
  if (choice.candidate == nullptr) {
    std::cout << "\nno mechanism meets these demands\n";
    return absl::OkStatus();
  }
  std::cout
      << "\nvariance: of the noise in a total's count of one value, the mean over all totals; "
         "largest: of any total; a period: of a\n"
         "single one. nodes: the most that a submission is in; messages, at most, bytes: of a "
         "submission\n";
  if (!choice.why.empty()) std::cout << "* " << choice.why << "\n";
  return absl::OkStatus();
}

}  // namespace tombola::cli
