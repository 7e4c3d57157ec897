#include "cli/task/records_request.h"

#include <cstdint>

#include "cli/command/schema_file.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

// 0.9 of the planned number, rounded up, in whole numbers throughout: as the collector does.
uint64_t UsualSmallestBatch(uint64_t users) { return users - users / 10; }

// How many records devices have is said, or which task tells, where their number is to be chosen.
absl::Status CheckRecordsSized(const TaskRequestOptions& options, bool open) {
  const bool stated = !options.sizes_file.empty(), learnt = !options.sizes_of.empty();
  if (stated && learnt) {
    return absl::InvalidArgumentError("one of --sizes and --sizes-of must be given, not both");
  }
  if (open && !stated && !learnt) {
    return absl::InvalidArgumentError(
        "max_records is \"auto\" in --schema, which needs --sizes, a file that says how many "
        "records devices have, or --sizes-of, the id of an earlier task that tells");
  }
  if (!open && (stated || learnt)) {
    return absl::InvalidArgumentError(
        "--sizes and --sizes-of are for a --schema in which max_records is \"auto\"");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetRecords(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  if (!options.values_file.empty() || !options.values.empty() || options.domain != 0 ||
      options.other.has_value()) {
    return absl::InvalidArgumentError(
        "--values, --domain and --other are not for --kind records, which has --schema");
  }
  if (options.schema_file.empty()) {
    return absl::InvalidArgumentError(
        "--schema FILE must be given: the attributes and measures of records");
  }
  TOMBOLA_ASSIGN_OR_RETURN(*request->mutable_records(), ReadRecordsSchema(options.schema_file));
  const bool open = request->records().max_records() == 0;
  if (open) {
    request->set_smallest_batch(options.min_batch.value_or(UsualSmallestBatch(options.users)));
  }
  return CheckRecordsSized(options, open);
}

}  // namespace tombola::cli
