#include "cli/plan/records_plan.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "cli/command/schema_file.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/json/records_plan.h"
#include "common/plan/records.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::PlanRequest;
using mechanism::ViewCost;

void PrintCosts(const RecordCells& cells, const Candidate& best, const PlanRequest& request,
                const std::vector<ViewCost>& costs) {
  std::cout << absl::StrFormat(
      "%d users, %d honest, up to %d records each; epsilon %s, delta %s\n%s: %s, %.4g messages a "
      "device\n\n",
      request.submissions, request.honest, cells.schema.max_records, RoundedUp(request.epsilon, 6),
      RoundedUp(request.delta, 6), best.name, DescribeParameters(*best.mechanism),
      best.mechanism->expected_reports_per_submission());
  std::cout << absl::StrFormat("%-48s %9s %9s %9s %9s %9s\n", "view", "cells", "variance",
                               "messages", "a cell", "a range");
  for (const ViewCost& cost : costs) {
    std::cout << absl::StrFormat("%-48s %9d %7.0f %% %9.4g %9.4g %9.4g\n", cost.view, cost.cells,
                                 100 * cost.share, cost.messages, cost.cell_deviation,
                                 cost.range_deviation);
  }
  std::cout << "\nvariance: the share of every count's that a view causes; a cell, a range: by how "
               "many records\ncounts of one cell, and of a range or half of the cells, are off\n";
}

}  // namespace

absl::Status PlanRecordsSchema(const std::string& schema_file, const PlanRequest& request,
                               bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records asked, ReadRecordsSchema(schema_file));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records planned, mechanism::PlanViews(asked, request));
  TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(planned));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates,
                           mechanism::PlanRecords(cells, request));
  const Candidate* const best = Recommended(candidates, mechanism::Left::kAnything);
  if (best == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("no mechanism meets the target; ", WhyNone(candidates)));
  }
  const std::vector<ViewCost> costs =
      mechanism::CostsOf(cells, *best->mechanism, request.submissions);
  if (!json) {
    PrintCosts(cells, *best, request, costs);
    return absl::OkStatus();
  }
  Json plan = {{"kind", "records"},
               {"users", request.submissions},
               {"honest", request.honest},
               {"epsilon", request.epsilon},
               {"delta", request.delta}};
  plan.update(RecordsPlanJson(cells, request, *best, costs));
  Print(plan);
  return absl::OkStatus();
}

}  // namespace tombola::cli
