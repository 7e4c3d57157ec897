// tombola plan --kind records
#ifndef TOMBOLA_CLI_PLAN_RECORDS_PLAN_H_
#define TOMBOLA_CLI_PLAN_RECORDS_PLAN_H_

#include <string>

#include "absl/status/status.h"
#include "common/plan/plan.h"

namespace tombola::cli {

// Prints which views a schema file becomes, and what each costs; with a file of sizes
// (sizes_file.h) also what each max_records costs, of which the best is taken where the schema
// leaves it open. An empty name: no such file. Of the request domain_size and filling are not
// looked at.
absl::Status PlanRecordsSchema(const std::string& schema_file, const std::string& sizes_file,
                               const mechanism::PlanRequest& request, bool json);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_RECORDS_PLAN_H_
