// The devices of `tombola simulate --kind records`, from flags.
#ifndef TOMBOLA_CLI_SIMULATE_RECORDS_H_
#define TOMBOLA_CLI_SIMULATE_RECORDS_H_

#include <istream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "cli/simulation/record_population.h"
#include "tombola/v1/task.pb.h"

namespace tombola::cli {

// What a schema file asks for, and the records of devices.
struct SimulatedRecords {
  v1::Records asked;
  int64_t max_records = 0;
  std::shared_ptr<const simulation::RecordPopulation> population;
};

// The devices of a law (simulation/record_population.h), or of file:PATH with the lines of `tombola
// report --input --schema`, joined as those are; `users` of them, all if it is absent.
// InvalidArgument names the flag, or the file's line.
absl::StatusOr<SimulatedRecords> MakeRecords(const simulation::DataRequest& request,
                                             const std::string& schema_file);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_RECORDS_H_
