#include "common/json/records_plan.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"

namespace tombola {

Json RecordsPlanJson(const RecordCells& cells, const mechanism::PlanRequest& request,
                     const mechanism::Candidate& best,
                     const std::vector<mechanism::ViewCost>& costs) {
  Json views = Json::array();
  for (const mechanism::ViewCost& cost : costs) {
    views.push_back({{"view", cost.view},
                     {"cells", cost.cells},
                     {"levels", cost.levels},
                     {"share", cost.share},
                     {"messages", cost.messages},
                     {"cell_deviation", cost.cell_deviation},
                     {"range_deviation", cost.range_deviation}});
  }
  mechanism::PlanRequest planned = request;
  planned.domain_size = cells.cells;
  planned.filling = cells.filling;
  return Json{{"recommended", best.name},
              {"max_records", cells.schema.max_records},
              {"cells", cells.cells},
              {"messages_per_user", best.mechanism->expected_reports_per_submission()},
              {"parameters", ParametersJson(*best.mechanism)},
              {"views", std::move(views)},
              {"warnings", PlanWarnings(&best, planned)}};
}

std::string WhyNone(const std::vector<mechanism::Candidate>& candidates) {
  std::string reasons;
  for (const mechanism::Candidate& candidate : candidates) {
    if (candidate.feasible) continue;
    absl::StrAppend(&reasons, reasons.empty() ? "" : "; ", candidate.name, ": ", candidate.reason);
  }
  return reasons;
}

}  // namespace tombola
