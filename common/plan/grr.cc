#include "common/mechanism/grr.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/items.h"
#include "common/accounting/noise_search.h"
#include "common/base/status_macros.h"
#include "common/plan/blanket.h"
#include "common/plan/planners.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {

namespace {

// The least blanket of several reports, or more where the cap on what they leave asks for it.
PlannedMechanism PlanSeveral(const PlanRequest& request) {
  const double cells = static_cast<double>(request.domain_size);
  const accounting::Responses responses{.honest = request.honest,
                                        .cells = request.domain_size,
                                        .held = request.filling.held,
                                        .sent = request.filling.sent};
  const absl::StatusOr<double> gamma =
      accounting::SmallestResponse(responses, request.epsilon, request.delta, request.work);
  if (absl::IsFailedPrecondition(gamma.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat("grr cannot meet the target with ", request.honest,
                     " honest submissions that say ", request.filling.sent, " cells each"));
  }
  TOMBOLA_RETURN_IF_ERROR(gamma.status());
  const double kappa =
      std::min(cells * (1 - *gamma) / *gamma,
               KappaOf(request.max_local_epsilon / static_cast<double>(request.filling.sent)));
  const auto made = [&](uint64_t threshold) {
    return Grr::Create({threshold, request.domain_size, request.filling});
  };
  PlanRequest one = request;  // MeetingThreshold compares the budget of one report
  one.max_local_epsilon = request.max_local_epsilon / static_cast<double>(request.filling.sent);
  TOMBOLA_ASSIGN_OR_RETURN(
      const uint64_t threshold,
      MeetingThreshold(one, cells, kappa, [&](uint64_t at) -> absl::StatusOr<double> {
        TOMBOLA_ASSIGN_OR_RETURN(const Grr grr, made(at));
        return grr.Delta(request.honest, request.epsilon);
      }));
  return Planned(made(threshold), request);
}

}  // namespace

template <>
PlannedMechanism Plan<Grr>(const PlanRequest& request) {
  if (request.filling.sent > 1) return PlanSeveral(request);
  const Meanings values{.range = static_cast<double>(request.domain_size) /
                                 static_cast<double>(request.filling.held)};
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, AllowedKappa(request, values));
  GrrOptions options;
  TOMBOLA_ASSIGN_OR_RETURN(options.blanket_threshold, MeetingThreshold(request, values, kappa));
  options.domain_size = request.domain_size;
  options.filling = request.filling;
  TOMBOLA_ASSIGN_OR_RETURN(Grr planned, Grr::Create(options));
  return std::make_shared<const Grr>(std::move(planned));
}

}  // namespace tombola::mechanism
