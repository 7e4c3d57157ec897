// What the flags of `tombola stream` ask for.
#ifndef TOMBOLA_CLI_STREAM_QUESTION_H_
#define TOMBOLA_CLI_STREAM_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/stream/running_totals.h"

namespace tombola::cli {

// Flags that make a stream what it is; those that were not given are none, or false.
struct StreamFlags {
  std::optional<double> epsilon, delta;
  std::optional<int64_t> periods, user_periods, most, sensitivity;
  std::optional<std::string> structure;
  bool unbounded = false;
  bool fixed = false;
};

inline constexpr absl::string_view kBestStructure = "auto";
// auto and the methods of common/stream/design.h, with _ as in the names of mechanisms.
std::vector<std::string> StructureNames();
std::string StructureName(std::optional<stream::Method> method);

// Of a new stream. InvalidArgument names a flag that is missing, or two that exclude each other;
// bounds are checked where totals are made.
absl::StatusOr<stream::TotalsOptions> NewStream(const StreamFlags& flags);

// Of a stream that there is: InvalidArgument names a flag that says something else.
absl::Status CheckAgrees(const StreamFlags& flags, const stream::TotalsOptions& options);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_STREAM_QUESTION_H_
