#include "common/kind/kinds.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola {

const Kinds& Kinds::BuiltIn() {
  static const Kinds& kinds =
      *new Kinds({{v1::KIND_HISTOGRAM, Histogram::kName, &Histogram::Read},
                  {v1::KIND_SET, Set::kName, &Set::Read},
                  {v1::KIND_KEY_VALUE, KeyValueKind::kName, &KeyValueKind::Read},
                  {v1::KIND_NUMBER, NumberKind::kName, &NumberKind::Read},
                  {v1::KIND_RECORDS, RecordsKind::kName, &RecordsKind::Read},
                  {v1::KIND_STREAM, StreamKind::kName, &StreamKind::Read},
                  {v1::KIND_STRINGS, StringsKind::kName, &StringsKind::Read}});
  return kinds;
}

Kinds::Kinds(std::vector<Entry> entries) : entries_(std::move(entries)) {}

absl::StatusOr<std::shared_ptr<const Kind>> Kinds::Read(const v1::Task& task) const {
  if (task.has_stream() && task.kind() != v1::KIND_STREAM) {
    return absl::InvalidArgumentError("task.stream must be absent but for streams");
  }
  if (task.has_longitudinal() && task.kind() != v1::KIND_HISTOGRAM) {
    return absl::InvalidArgumentError("task.longitudinal must be absent but for histograms");
  }
  if (task.has_strings() && task.kind() != v1::KIND_STRINGS) {
    return absl::InvalidArgumentError("task.strings must be absent but for strings");
  }
  if (task.mechanism().has_rappor() && task.kind() != v1::KIND_HISTOGRAM) {
    return absl::InvalidArgumentError("task.mechanism must not be rappor but for histograms");
  }
  for (const Entry& entry : entries_) {
    if (entry.number != task.kind()) continue;
    TOMBOLA_ASSIGN_OR_RETURN(std::shared_ptr<const Kind> kind, entry.read(task));
    TOMBOLA_CHECK(kind->scheme()->report_bytes() == kind->tables().report_bytes());
    return kind;
  }
  const auto name = [](std::string* out, const Entry& entry) {
    absl::StrAppend(out, entry.name, " (", static_cast<int>(entry.number), ")");
  };
  return absl::InvalidArgumentError(
      absl::StrCat("task.kind must be ", absl::StrJoin(entries_, ", ", name)));
}

}  // namespace tombola
