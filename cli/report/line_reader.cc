#include "cli/report/line_reader.h"

#include <string>
#include <utility>

#include "cli/report/histogram_line.h"
#include "cli/report/key_value_line.h"
#include "cli/report/set_line.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

absl::StatusOr<Record> HistogramRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(std::string value, HistogramValue(line));
  return Record(std::move(value));
}

}  // namespace

const std::vector<LineReader>& AllLineReaders() {
  static const auto& all = *new std::vector<LineReader>{
      {.kind = Histogram::kName, .read = &HistogramRecord},
      {.kind = Set::kName, .read = &SetRecord},
      {.kind = KeyValueKind::kName, .read = &KeyValueRecord},
  };
  return all;
}

}  // namespace tombola::cli
