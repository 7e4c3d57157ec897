#include "common/json/records_plan.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/json/mechanism.h"
#include "common/json/plan.h"

namespace tombola {

Json RecordsPlanJson(const RecordCells& cells, const mechanism::Candidate& best,
                     const std::vector<mechanism::ViewCost>& costs,
                     const std::vector<std::string>& warnings) {
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
  return Json{{"recommended", best.name},
              {"max_records", cells.schema.max_records},
              {"cells", cells.cells},
              {"messages_per_user", best.mechanism->expected_reports_per_submission()},
              {"parameters", ParametersJson(*best.mechanism)},
              {"views", std::move(views)},
              {"warnings", warnings}};
}

std::vector<std::string> RecordsWarnings(const RecordCells& cells, const mechanism::Candidate& best,
                                         const mechanism::PlanRequest& request,
                                         const std::vector<mechanism::ViewCost>& costs,
                                         const std::optional<mechanism::RecordSizes>& sizes) {
  mechanism::PlanRequest planned = request;
  planned.domain_size = cells.cells;
  planned.filling = cells.filling;
  std::vector<std::string> warnings = PlanWarnings(&best, planned);
  const double each =
      sizes.has_value() ? sizes->mean() : static_cast<double>(cells.schema.max_records);
  for (const mechanism::ViewCost& cost : costs) {
    const double counted = cost.range_share * each * static_cast<double>(request.submissions);
    if (cost.range_deviation < counted) continue;
    warnings.push_back(absl::StrFormat(
        "%s: a range is off by %.3g records, and has %.3g %s: more users, a larger epsilon or "
        "fewer questions would help",
        cost.view, cost.range_deviation, counted,
        sizes.has_value() ? "on average" : "where every device has max_records"));
  }
  return warnings;
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
