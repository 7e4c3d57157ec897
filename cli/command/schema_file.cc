#include "cli/command/schema_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/disk/whole_file.h"
#include "common/json/record_schema.h"

namespace tombola::cli {

absl::StatusOr<v1::Records> ReadRecordsSchema(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) {
    return absl::Status(text.status().code(), absl::StrCat("--schema: ", text.status().message()));
  }
  absl::StatusOr<v1::Records> records = ParseRecordSchema(*text);
  if (records.ok()) return records;
  return absl::InvalidArgumentError(
      absl::StrCat("--schema: ", path, ": ", records.status().message()));
}

}  // namespace tombola::cli
