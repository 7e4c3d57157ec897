// A schema: what records have, and what must be answerable about them.
#ifndef TOMBOLA_COMMON_JSON_RECORD_SCHEMA_H_
#define TOMBOLA_COMMON_JSON_RECORD_SCHEMA_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// A JSON object:
//   "attributes": each {"name", and "low", "high", "bins", or "edges", or "labels"}
//   "measures":   each {"name", "low", "high", "levels" (3 by default)}; may be absent
//   "max_records": how many records of a device are counted at most; or "auto", which is 0 in the
//                 message: it is to be chosen
//   "max_alike":  how many of them that are alike in a question's attributes; all unless said
//   "questions":  each a list of attributes' names, or {"attributes", "measure", "joined",
//                 "branching"}, of which the last three may be absent: which attributes are asked
//                 for together, with which measure; `joined` has for each so many bins to be one
// A question becomes a view; what it does not say is the planner's choice. InvalidArgument naming
// the member and what it must be; bounds are the collector's to check.
absl::StatusOr<v1::Records> ParseRecordSchema(absl::string_view text);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_RECORD_SCHEMA_H_
