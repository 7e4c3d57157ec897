// A schema file: what records have, and what must be answerable about them.
#ifndef TOMBOLA_CLI_COMMAND_SCHEMA_FILE_H_
#define TOMBOLA_CLI_COMMAND_SCHEMA_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tombola/v1/task.pb.h"

namespace tombola::cli {

// As ParseRecordSchema (common/json/record_schema.h); refusals name --schema and the file too.
absl::StatusOr<v1::Records> ReadRecordsSchema(const std::string& path);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_SCHEMA_FILE_H_
