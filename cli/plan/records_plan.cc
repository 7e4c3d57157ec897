#include "cli/plan/records_plan.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "cli/command/schema_file.h"
#include "cli/command/sizes_file.h"
#include "common/base/decimal.h"
#include "common/base/half_width.h"
#include "common/base/status_macros.h"
#include "common/json/mechanism.h"
#include "common/json/records_plan.h"
#include "common/plan/record_sizes.h"
#include "common/plan/records.h"
#include "common/plan/records_limit.h"

namespace tombola::cli {
namespace {

using mechanism::Candidate;
using mechanism::LimitChoice;
using mechanism::PlanRequest;
using mechanism::RecordLimit;
using mechanism::RecordSizes;
using mechanism::ViewCost;

// A target that cannot be met is mended by other words: bad input.
template <typename T>
absl::StatusOr<T> AsInput(absl::StatusOr<T> result) {
  if (!absl::IsFailedPrecondition(result.status())) return result;
  return absl::InvalidArgumentError(result.status().message());
}

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
                                 100 * cost.share, cost.messages,
                                 kDeviationsOf95 * cost.cell_deviation,
                                 kDeviationsOf95 * cost.range_deviation);
  }
  std::cout
      << "\nvariance: the share of every count's that a view causes; a cell, a range: by how "
         "many records\ncounts of one cell, and of a range or half of the cells, are off (the "
         "95 % half-width)\n";
}

// The rows of a table of limits: the best with its neighbours, the first and the last, and between
// them each that is a quarter more than the row above.
std::vector<const RecordLimit*> LimitRows(const LimitChoice& choice) {
  std::vector<const RecordLimit*> rows;
  for (size_t i = 0; i < choice.tried.size(); ++i) {
    const RecordLimit& limit = choice.tried[i];
    const bool always =
        i == 0 || i + 1 == choice.tried.size() || (i + 1 >= choice.best && i <= choice.best + 1);
    if (always || 4 * limit.max_records >= 5 * rows.back()->max_records) rows.push_back(&limit);
  }
  return rows;
}

void PrintLimits(const LimitChoice& choice, const RecordSizes& sizes) {
  std::cout << absl::StrFormat(
      "%.4g records a device, %d at most\n\n  max_records  not counted     noise     error     "
      "cells  messages\n",
      sizes.mean(), sizes.most());
  for (const RecordLimit* const limit : LimitRows(choice)) {
    std::cout << absl::StrFormat("%s %11d  %9.3g %%  %6.3g %%  %6.3g %%  %8d  %8.4g\n",
                                 limit == &choice.chosen() ? "*" : " ", limit->max_records,
                                 100 * limit->cut, 100 * limit->of.noise, 100 * limit->error,
                                 limit->of.cells, limit->of.messages);
  }
  std::cout << "\n* the least error. not counted: of all records, because they are beyond "
               "max_records; noise: of a count, averaged\n"
               "over the views: of a range or half of the cells, as a share of its records; error: "
               "of both\n\n";
}

Json LimitJson(const RecordLimit& limit) {
  return {{"max_records", limit.max_records}, {"cut", limit.cut},
          {"noise", limit.of.noise},          {"error", limit.error},
          {"cells", limit.of.cells},          {"messages_per_user", limit.of.messages}};
}

}  // namespace

absl::Status PlanRecordsSchema(const std::string& schema_file, const std::string& sizes_file,
                               const PlanRequest& request, bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(v1::Records asked, ReadRecordsSchema(schema_file));
  std::optional<RecordSizes> sizes;
  std::optional<LimitChoice> choice;
  if (!sizes_file.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(sizes, ReadSizesFile(sizes_file));
    TOMBOLA_ASSIGN_OR_RETURN(choice, AsInput(mechanism::PlanLimit(asked, *sizes, request)));
  }
  if (asked.max_records() == 0) {
    if (!choice.has_value()) {
      return absl::InvalidArgumentError(
          "max_records is \"auto\" in --schema, which needs --sizes: a file that says how many "
          "records devices have");
    }
    asked.set_max_records(static_cast<uint32_t>(choice->chosen().max_records));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records planned, mechanism::PlanViews(asked, request));
  TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(planned));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates,
                           mechanism::PlanRecords(cells, request));
  TOMBOLA_ASSIGN_OR_RETURN(const Candidate* const best,
                           AsInput(mechanism::BestForRecords(candidates)));
  const std::vector<ViewCost> costs =
      mechanism::CostsOf(cells, *best->mechanism, request.submissions);
  const std::vector<std::string> warnings = RecordsWarnings(cells, *best, request, costs, sizes);
  if (!json) {
    if (choice.has_value()) PrintLimits(*choice, *sizes);
    PrintCosts(cells, *best, request, costs);
    for (const std::string& warning : warnings) std::cout << "! " << warning << "\n";
    return absl::OkStatus();
  }
  Json plan = {{"kind", "records"},
               {"users", request.submissions},
               {"honest", request.honest},
               {"epsilon", request.epsilon},
               {"delta", request.delta}};
  plan.update(RecordsPlanJson(cells, *best, costs, warnings));
  if (choice.has_value()) {
    Json limits = Json::array();
    for (const RecordLimit& limit : choice->tried) limits.push_back(LimitJson(limit));
    plan["limits"] = std::move(limits);
    plan["best_max_records"] = choice->chosen().max_records;
  }
  Print(plan);
  return absl::OkStatus();
}

}  // namespace tombola::cli
