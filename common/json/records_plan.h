// What questions about records cost, for scripts. The command line and HTTP write the very same.
#ifndef TOMBOLA_COMMON_JSON_RECORDS_PLAN_H_
#define TOMBOLA_COMMON_JSON_RECORDS_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "common/json/text.h"
#include "common/kind/records.h"
#include "common/plan/plan.h"
#include "common/plan/record_sizes.h"
#include "common/plan/records.h"

namespace tombola {

// {"recommended", "max_records", "cells", "messages_per_user", "parameters", "views", "warnings"}
// of the candidate that counts these cells.
Json RecordsPlanJson(const RecordCells& cells, const mechanism::Candidate& best,
                     const std::vector<mechanism::ViewCost>& costs,
                     const std::vector<std::string>& warnings);

// What people should know of it: also where a view's noise is more than what it counts, of devices
// with so many records, or where nothing is said with as many as count.
std::vector<std::string> RecordsWarnings(const RecordCells& cells, const mechanism::Candidate& best,
                                         const mechanism::PlanRequest& request,
                                         const std::vector<mechanism::ViewCost>& costs,
                                         const std::optional<mechanism::RecordSizes>& sizes);

// "aue: why not; correlated: why not", of those that are not feasible.
std::string WhyNone(const std::vector<mechanism::Candidate>& candidates);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_RECORDS_PLAN_H_
