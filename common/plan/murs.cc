#include "common/mechanism/murs.h"

#include <algorithm>
#include <utility>

#include "common/base/status_macros.h"
#include "common/plan/planners.h"

namespace tombola::mechanism {

template <>
PlannedMechanism Plan<Murs>(const PlanRequest& request) {
  const int64_t tenth = std::min((request.honest - 1) / 10 + 1, Murs::kMaxFakes);
  const int64_t fakes = request.fakes.value_or(tenth);
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options, PlanHashing(request, fakes));
  TOMBOLA_ASSIGN_OR_RETURN(Murs planned, Murs::Create(options, fakes));
  return std::make_shared<const Murs>(std::move(planned));
}

}  // namespace tombola::mechanism
