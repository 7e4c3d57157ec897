#include "cli/report/strings_line.h"

#include <string>
#include <utility>

#include "cli/report/histogram_line.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<Record> StringsRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(std::string value, HistogramValue(line));
  return Record(std::move(value));
}

}  // namespace tombola::cli
