#include "common/mechanism/grr.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/plan/blanket.h"
#include "common/plan/planners.h"

namespace tombola::mechanism {

template <>
PlannedMechanism Plan<Grr>(const PlanRequest& request) {
  const Meanings values{.range = static_cast<double>(request.domain_size)};
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, AllowedKappa(request, values));
  GrrOptions options;
  TOMBOLA_ASSIGN_OR_RETURN(options.blanket_threshold, MeetingThreshold(request, values, kappa));
  options.domain_size = request.domain_size;
  TOMBOLA_ASSIGN_OR_RETURN(Grr planned, Grr::Create(options));
  return std::make_shared<const Grr>(std::move(planned));
}

}  // namespace tombola::mechanism
