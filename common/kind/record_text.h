// Conditions on records, as people write them.
#ifndef TOMBOLA_COMMON_KIND_RECORD_TEXT_H_
#define TOMBOLA_COMMON_KIND_RECORD_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/records.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// "age=18..30", of which either end may be left out, or "city=Oslo,Bergen". A label that has commas
// is found whole. InvalidArgument naming the attribute and what it must be.
absl::StatusOr<v1::Condition> ParseCondition(absl::string_view text, const RecordSchema& schema);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_RECORD_TEXT_H_
