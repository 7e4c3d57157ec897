#include "cli/task/stream_request.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"

namespace tombola::cli {
namespace {

// What a stream may be of, as on the command line.
absl::StatusOr<v1::Kind> KindNamed(const std::string& name) {
  if (name.empty() || name == Histogram::kName) return v1::KIND_HISTOGRAM;
  if (name == Set::kName) return v1::KIND_SET;
  if (name == KeyValueKind::kName) return v1::KIND_KEY_VALUE;
  if (name == NumberKind::kName) return v1::KIND_NUMBER;
  return absl::InvalidArgumentError("--of must be histogram, set, key_value or number");
}

}  // namespace

absl::Status SetStream(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  if (request->kind() != v1::KIND_STREAM) {
    if (!options.periods.has_value() && options.structure.empty() &&
        !options.device_periods.has_value() && options.of.empty()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        "--periods, --structure, --device-periods and --of are for --kind stream");
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
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Kind of, KindNamed(options.of));
  if (options.auto_items || !options.sizes_of.empty()) {
    return absl::InvalidArgumentError(
        "--max-items auto and --sizes-of are not for --kind stream: give it a number");
  }
  request->mutable_stream()->set_periods(*options.periods);
  request->mutable_stream()->set_structure(options.structure);
  request->mutable_stream()->set_of(of);
  return absl::OkStatus();
}

v1::Kind KindOfOneBatch(const v1::CreateTaskRequest& request) {
  return request.kind() == v1::KIND_STREAM ? request.stream().of() : request.kind();
}

}  // namespace tombola::cli
