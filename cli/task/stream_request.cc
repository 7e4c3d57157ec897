#include "cli/task/stream_request.h"

#include "absl/strings/str_cat.h"

namespace tombola::cli {

absl::Status SetStream(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  if (request->kind() != v1::KIND_STREAM) {
    if (!options.periods.has_value() && options.structure.empty() &&
        !options.device_periods.has_value()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--periods, --structure and --device-periods are for --kind stream");
  }
  if (!options.periods.has_value() || options.interval.empty()) {
    return absl::InvalidArgumentError("--kind stream needs --periods and --interval");
  }
  if (!options.lifetime.empty() || options.merge_periods) {
    return absl::InvalidArgumentError(
        "--lifetime and --merge-periods are not for --kind stream, which ends with its last "
        "period");
  }
  if (options.device_periods == 0) {
    return absl::InvalidArgumentError("--device-periods must be at least 1");
  }
  if (options.device_periods.has_value() && options.submissions_per_device != 1) {
    return absl::InvalidArgumentError(
        "--device-periods is --submissions-per-device of a stream: one of them must be given");
  }
  if (options.device_periods.value_or(options.submissions_per_device) > *options.periods) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.device_periods.has_value() ? "--device-periods" : "--submissions-per-device",
        " must be at most --periods, ", *options.periods, ", is ",
        options.device_periods.value_or(options.submissions_per_device)));
  }
  request->mutable_stream()->set_periods(*options.periods);
  request->mutable_stream()->set_structure(options.structure);
  return absl::OkStatus();
}

}  // namespace tombola::cli
