#include "common/mechanism/grr_plan.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/mechanism/blanket_plan.h"
#include "common/mechanism/grr.h"

namespace tombola::mechanism {

absl::StatusOr<std::shared_ptr<const Mechanism>> PlanGrr(const PlanRequest& request) {
  const auto range = static_cast<double>(request.domain_size);
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa, AllowedKappa(request, range, /*fakes=*/0));
  GrrOptions options;
  TOMBOLA_ASSIGN_OR_RETURN(options.blanket_threshold,
                           MeetingThreshold(request, range, /*fakes=*/0, kappa));
  options.domain_size = request.domain_size;
  TOMBOLA_ASSIGN_OR_RETURN(Grr planned, Grr::Create(options));
  return std::make_shared<const Grr>(std::move(planned));
}

}  // namespace tombola::mechanism
